/** Errors of functions and tools that called another system and cannot know what it did. */
import { describe, expect, it } from 'vitest';
import { HURRIED } from '../../effects/hurried-clock.cases.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import { tool } from '../../workflow/authoring/define-tool.ts';
import { createEffectRunner } from './effect-runner.ts';
import type { RunResult } from '../backend.ts';
import { LocalBackend } from '../local/local-backend.ts';

interface Played {
  readonly result: RunResult;
  readonly paid: number;
}

/** A payment that throws, on a node whose route would retry twice. */
async function pay(
  thrown: unknown,
  { type = 'call', node = {}, isIdempotent = false }: How = {},
): Promise<Played> {
  let paid = 0;
  const run = (): never => {
    paid++;
    throw thrown;
  };
  const what = type === 'call' ? { type, function: 'pay' } : { type, tool: 'pay' };
  const { plan } = workflow({
    name: 't',
    entryPoint: 'a',
    nodes: [
      {
        name: 'a',
        ...what,
        ...node,
        routes: [{ to: '$end' }, { onError: true, retry: { max: 2, backoff: 'none' } }],
      },
    ],
  });
  const declared = tool({ description: 'Pays', input: {}, idempotent: isIdempotent, run });
  const effects = createEffectRunner({
    env: {},
    directory: '.',
    functions: { pay: declared },
    tools: { pay: declared },
  });
  const store = openMemoryStore({ now: Date.now });
  const backend = new LocalBackend({ store, effects, clock: HURRIED });
  const result = await (await backend.start(plan, {})).result();
  await backend.close();
  return { result, paid };
}

interface How {
  readonly type?: 'call' | 'tool';
  readonly node?: { readonly idempotent?: boolean };
  readonly isIdempotent?: boolean;
}

const fault = (message: string, fields: object): Error => Object.assign(new Error(message), fields);

const ON_SOCKET = fault('read EHOSTUNREACH', { code: 'EHOSTUNREACH', syscall: 'read' });
const CLOSED = fault('other side closed', { name: 'SocketError', code: 'UND_ERR_SOCKET' });

const LEFT_OPEN: readonly (readonly [string, unknown])[] = [
  ['a reset', fault('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' })],
  ['a way that is lost while reading', ON_SOCKET],
  ['the same in a fetch', new TypeError('fetch failed', { cause: ON_SOCKET })],
  [
    'a way that is lost while writing',
    fault('write ENETUNREACH', { code: 'ENETUNREACH', syscall: 'write' }),
  ],
  ['an answer that broke off', new TypeError('terminated', { cause: CLOSED })],
  ['an answer that broke off, without a cause', new TypeError('terminated')],
  ['408', fault('Request Timeout', { status: 408 })],
  ['504', fault('Gateway Timeout', { status: 504 })],
  ['504 of axios', fault('failed', { isAxiosError: true, response: { status: 504 } })],
  ['524', fault('A timeout occurred', { status: 524 })],
];

describe.each(['call', 'tool'] as const)('a %s that throws', (type) => {
  it.each(LEFT_OPEN)('%s opens a gate, and is not called again', async (_, thrown) => {
    const { result, paid } = await pay(thrown, { type });
    expect(result).toMatchObject({ status: 'paused', waiting: { reason: 'outcome' } });
    expect(paid).toBe(1);
  });

  it.each([
    [
      'a way that was never found',
      fault('connect EHOSTUNREACH', { code: 'EHOSTUNREACH', syscall: 'connect' }),
    ],
    ['503', fault('Service Unavailable', { status: 503 })],
  ])('%s is tried again', async (_, thrown) => {
    expect(await pay(thrown, { type })).toMatchObject({ result: { status: 'failed' }, paid: 3 });
  });

  it('is called again where the error allows it, unless its node forbids it', async () => {
    const thrown = fault('Gateway Timeout', { status: 504 });
    expect(await pay(thrown, { type, isIdempotent: true })).toMatchObject({ paid: 3 });
    const node = { idempotent: false };
    expect(await pay(thrown, { type, isIdempotent: true, node })).toMatchObject({ paid: 1 });
  });
});
