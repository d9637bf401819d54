import { expect, it } from 'vitest';
import { createRedactor } from '../../errors/redaction/redact.ts';
import type { EffectFailure } from '../effect-port.ts';
import { callFailure } from './mcp-call-failure.ts';

const SERVER = {
  name: 's',
  settings: {
    type: 'stdio',
    command: 'x',
    args: [],
    env: {},
    headers: {},
    tools: null,
    toolSettings: {},
  },
  env: {},
  headers: {},
} as const;

function answeredWith(
  code: number,
  isIdempotent: boolean,
  { message = 'gone', hasOutputSchema = true } = {},
): EffectFailure['failure'] {
  return callFailure({
    tool: 's/pay',
    resolved: { ...SERVER, redactor: createRedactor() },
    thrown: Object.assign(new Error(`MCP error ${code}: ${message}`), { code }),
    wasSent: true,
    isConnectionLost: false,
    isIdempotent,
    hasOutputSchema,
  }).failure;
}

it.each([-32_000, -32_001])(
  'a gateway that gave up on the server (%i) does not know what the tool did',
  (code) => {
    expect(answeredWith(code, false)).toMatchObject({
      kind: 'mcp.tool_failed',
      outcome: 'unknown',
    });
    expect(answeredWith(code, true)).toMatchObject({ outcome: 'partial' });
  },
);

it('a server that refuses the call has failed it', () => {
  expect(answeredWith(-32_603, false)).not.toHaveProperty('outcome');
});

it.each([
  ['tool.input_invalid', 'Output validation error: Invalid structured content for tool pay'],
  ['tool.input_invalid', 'The amount is above the limit of the account'],
  ['tool.not_found', 'Tool pay: receipt not found'],
])(
  '-32602 (%s) comes before the work, or after it where the output is checked: %s',
  (kind, message) => {
    const of = (isIdempotent: boolean, hasOutputSchema: boolean): EffectFailure['failure'] =>
      answeredWith(-32_602, isIdempotent, { message, hasOutputSchema });
    expect(of(false, false)).toMatchObject({ kind, outcome: 'not_started' });
    expect(of(false, true)).toMatchObject({ kind, outcome: 'unknown' });
    expect(of(true, true)).toMatchObject({ kind, outcome: 'failed' });
  },
);

it('a server without the method has begun nothing', () => {
  expect(answeredWith(-32_601, false)).toMatchObject({ outcome: 'not_started' });
});

function refusedWith(status: number): EffectFailure['failure'] {
  return callFailure({
    tool: 's/pay',
    resolved: { ...SERVER, redactor: createRedactor() },
    thrown: Object.assign(new Error('refused'), { status }),
    wasSent: true,
    isConnectionLost: false,
    hasOutputSchema: false,
    isIdempotent: false,
  }).failure;
}

it.each([
  [404, 'configuration'],
  [405, 'configuration'],
  [410, 'configuration'],
  [400, 'content'],
  [413, 'content'],
  [422, 'content'],
])('a call that is refused with HTTP %i is refused again: %s', (status, category) => {
  const outcome = 'not_started';
  expect(refusedWith(status)).toMatchObject({ category, retryable: false, outcome });
});

it.each([409, 423, 425])('a call that is refused with HTTP %i may pass later', (status) => {
  expect(refusedWith(status)).not.toHaveProperty('category');
});
