import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { WorkflowPlan } from '../plan/plan.ts';
import type { FilePort } from './file-port.ts';
import { SMALL } from './files.cases.ts';
import { loadWorkflow, loadWorkflowText } from './load-workflow.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '../../..');

const DISK: FilePort = {
  read: (path) => ({ ok: true, text: readFileSync(join(ROOT, path), 'utf8') }),
  resolve: (from, to) => posix.join(posix.dirname(from), to),
};

function plan(text: string): WorkflowPlan {
  const result = loadWorkflowText(text, { file: 'a.yaml' });
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return result.plan;
}

function routes(written: string): WorkflowPlan['nodes'][number]['routes'] {
  return (
    plan(SMALL.replace('value: 1', `value: 1, routes: [{to: $end}, ${written}]`)).nodes[0]
      ?.routes ?? []
  );
}

describe('the file of the contract', () => {
  it('has the plan that it describes', async () => {
    const text = readFileSync(join(HERE, '__fixtures__/contract.yaml'), 'utf8');
    const { ...whole } = plan(text);
    await expect(`${JSON.stringify(whole, null, 2)}\n`).toMatchFileSnapshot(
      '__golden__/contract.plan.json',
    );
  });
});

describe('the examples', () => {
  const files = globSync('examples/*.yaml', { cwd: ROOT }).map((file) =>
    file.replaceAll('\\', '/'),
  );

  it.each(files)('%s is valid', (file) => {
    expect(loadWorkflow(file, DISK)).toMatchObject({ ok: true, diagnostics: [] });
  });

  it('are there', () => expect(files.length).toBeGreaterThanOrEqual(6));
});

describe('a plan', () => {
  it('is JSON', () => {
    const whole = plan(readFileSync(join(HERE, '__fixtures__/contract.yaml'), 'utf8'));
    expect(JSON.parse(JSON.stringify(whole))).toEqual(whole);
  });

  it('has every default filled in', () => {
    const { nodes, limits, contextMode, onError, runtime } =
      plan(`workflow: {name: x, entry_point: a}
nodes:
  - {name: a, prompt: hi}
  - {name: s, type: script, command: x}
  - {name: v, type: supervisor, prompt: x, manages: [a]}
parallel: [{name: p, agents: [a]}]
for_each: [{name: f, source: x, as: i, agent: {name: m, prompt: x}}]
`);
    expect({ limits, contextMode, onError, runtime }).toEqual({
      limits: { maxIterations: 1000, isDefaultMaxIterations: true, budgetMode: 'enforce' },
      contextMode: 'accumulate',
      onError: [],
      runtime: undefined,
    });
    expect(nodes).toMatchObject([
      {
        type: 'agent',
        tools: null,
        maxTurns: 20,
        onPartial: 'fail',
        writes: [],
        routes: [],
        assert: [],
      },
      { type: 'script', args: [], env: {}, exitCodes: [0], isIdempotent: false },
      { type: 'supervisor', maxRounds: 10 },
      { type: 'parallel', members: ['a'], failureMode: 'fail_fast', maxConcurrent: 8 },
      {
        type: 'for_each',
        failureMode: 'fail_fast',
        maxConcurrent: 8,
        member: { type: 'agent', name: 'm' },
      },
    ]);
  });

  it.each([
    [
      'retry: {max: 3}',
      {
        type: 'retry',
        max: 3,
        backoff: 'exponential',
        initialMs: 1000,
        maxMs: 60_000,
        jitter: 0.2,
      },
    ],
    ['retry: {max: 1, initial_seconds: 90}', { initialMs: 90_000, maxMs: 90_000 }],
    [
      'retry: {max: 1, backoff: linear, initial_seconds: 0.25, max_seconds: 2, jitter: 0}',
      { backoff: 'linear', initialMs: 250, maxMs: 2000, jitter: 0 },
    ],
    ['ask: true', { type: 'ask', options: ['retry', 'edit', 'skip', 'abort'] }],
    [
      'ask: {options: [skip], timeout: 1.5h}',
      { type: 'ask', options: ['skip'], timeoutMs: 5_400_000 },
    ],
    ['park: true', { type: 'park' }],
    ['park: {for: 15m, max: 2}', { type: 'park', forMs: 900_000, max: 2 }],
    ['halt: {message: x}', { type: 'halt', message: 'x' }],
    ['halt: true', { type: 'halt' }],
    ['propagate: true', { type: 'propagate' }],
    ['to: a', { type: 'to', to: 'a' }],
  ])('has a move for %s', (written, move) => {
    expect(routes(`{on_error: true, when: "x", ${written}}`)[1]).toMatchObject({
      index: 1,
      when: 'x',
      onError: true,
      move,
      pointer: '/nodes/0/routes/1',
      line: 3,
    });
  });

  it.each([
    ['true', true],
    ['provider.auth', ['provider.auth']],
    ['[a.b, "c.*"]', ['a.b', 'c.*']],
  ])('has a list for on_error: %s', (written, onError) => {
    expect(routes(`{on_error: ${written}, to: a}`)[1]).toMatchObject({ onError });
    expect(routes('{halt: true}')[1]).not.toHaveProperty('onError');
  });

  it.each([
    ['openai/gpt-6', undefined, [{ model: 'openai/gpt-6' }]],
    ['gpt-6', undefined, [{ model: 'gpt-6' }]],
    ['gpt-6', 'openai', [{ model: 'openai/gpt-6' }]],
    ['sim/clerk', 'openai', [{ model: 'sim/clerk' }]],
    ['anthropic/claude-sonnet-5', 'openai', [{ model: 'anthropic/claude-sonnet-5' }]],
    ['acme/one', 'lmstudio', [{ model: 'lmstudio/acme/one' }]],
    ['"{{ workflow.input.model }}"', 'openai', [{ model: '{{ workflow.input.model }}' }]],
    [
      '[gpt-6, {model: sonnet, on: any}, {model: c, on: provider.auth}]',
      'openai',
      [
        { model: 'openai/gpt-6' },
        { model: 'openai/sonnet', on: 'any' },
        { model: 'openai/c', on: ['provider.auth'] },
      ],
    ],
  ])('has a chain for %s of %s', (model, provider, chain) => {
    const runtime = provider === undefined ? '' : `, runtime: {provider: ${provider}}`;
    const whole = plan(
      `workflow: {name: x, entry_point: a${runtime}}\nnodes: [{name: a, prompt: x, model: ${model}}]\n`,
    );
    expect(whole.nodes[0]).toMatchObject({ model: chain });
  });

  it('has JSON Schema for field lists', () => {
    const whole = plan(`workflow: {name: x, entry_point: a}
nodes:
  - name: a
    prompt: x
    output:
      label: {type: string, enum: [a, b], nullable: true}
      tags: {type: array, items: {type: string, minLength: 1}, required: false}
      order: {type: object, properties: {id: {type: integer, minimum: 1}}, description: The order}
`);
    expect(whole.nodes[0]).toMatchObject({
      outputSchema: {
        type: 'object',
        properties: {
          label: { type: ['string', 'null'], enum: ['a', 'b', null] },
          tags: { type: 'array', items: { type: 'string', minLength: 1 } },
          order: {
            type: 'object',
            description: 'The order',
            properties: { id: { type: 'integer', minimum: 1 } },
            required: ['id'],
          },
        },
        required: ['label', 'order'],
      },
    });
  });

  it('turns a simulated status into a server response', () => {
    const whole = plan(`workflow:
  name: x
  entry_point: a
  runtime:
    simulate_price_per_mtok: {input: 0.5}
    simulate:
      m:
        - fail: {kind: provider.rate_limited, retry_after: 2.5}
        - fail: {status: 429, provider: openai, retry_after: 1, message: slow down, headers: {X-N: 3}}
        - stream: [a, b]
          cut: true
        - tool_calls: [{name: t}]
        - answer: null
nodes: [{name: a, prompt: x, model: sim/m}]
`);
    expect(whole.runtime).toMatchObject({
      simulatePrice: { inputUsdMicrosPerMtok: 500_000, outputUsdMicrosPerMtok: 0 },
      simulate: {
        m: [
          { type: 'fail', delayMs: 0, fail: { kind: 'provider.rate_limited', retryAfterMs: 2500 } },
          {
            type: 'fail',
            fail: {
              status: 429,
              provider: 'openai',
              headers: { 'retry-after': '1', 'X-N': '3' },
              body: { error: { message: 'slow down' } },
            },
          },
          { type: 'stream', chunks: ['a', 'b'], isCut: true },
          { type: 'tool_calls', calls: [{ name: 't', arguments: {} }] },
          { type: 'answer', answer: null },
        ],
      },
    });
  });

  it('distinguishes required from optional input', () => {
    const { input } = plan(
      SMALL.replace(
        'entry_point: a',
        'entry_point: a, input: {a: {type: string}, b: {type: number, default: 0}, c: {type: array, required: false}}',
      ),
    );
    expect(input).toEqual({
      a: { type: 'string', required: true, schema: { type: 'string' } },
      b: { type: 'number', required: false, default: 0, schema: { type: 'number' } },
      c: { type: 'array', required: false, schema: { type: 'array' } },
    });
  });
});

describe('a fingerprint', () => {
  const of = (node: string): string =>
    plan(SMALL.replace('{name: a, type: set, value: 1}', node)).nodes[0]?.fingerprint ?? '';
  const agent = of('{name: a, prompt: hi, model: sim/a}');

  it.each([
    ['the order of keys', '{model: sim/a, prompt: hi, name: a}'],
    [
      'defaults that are written',
      '{name: a, type: agent, prompt: hi, model: sim/a, max_turns: 20}',
    ],
    ['the model', '{name: a, prompt: hi, model: [sim/b, sim/c]}'],
    ['the description', '{name: a, prompt: hi, description: says hi}'],
  ])('does not depend on %s', (_, node) => expect(of(node)).toBe(agent));

  it('does not depend on the location', () => {
    const moved = plan(`# a comment\n${SMALL}`);
    expect(moved.fingerprint).toBe(plan(SMALL).fingerprint);
    expect(moved.nodes[0]?.fingerprint).toBe(plan(SMALL).nodes[0]?.fingerprint);
  });

  it.each([
    ['the prompt', '{name: a, prompt: ho}'],
    ['a limit', '{name: a, prompt: hi, max_turns: 3}'],
    ['a route', '{name: a, prompt: hi, routes: [{to: $end}]}'],
    ['an assertion', '{name: a, prompt: hi, assert: [{that: x}]}'],
  ])('depends on %s', (_, node) => expect(of(node)).not.toBe(agent));

  it('of a group depends on its member', () => {
    const group = (prompt: string): string =>
      of(`{name: a, type: for_each, source: x, as: i, agent: {name: m, prompt: ${prompt}}}`);
    expect(group('one')).not.toBe(group('two'));
  });
});
