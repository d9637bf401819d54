/** The time of an agent in whole runs: its calls are really stopped, and the clock is the test's. */
import { beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import { memoryFiles } from '../../workflow/yaml/files.cases.ts';
import { loadWorkflow } from '../../workflow/yaml/load-workflow.ts';
import { createEffectRunner } from './effect-runner.ts';
import type { RunResult } from '../backend.ts';
import { LocalBackend } from '../local/local-backend.ts';
import { VirtualClock } from '../../rehearsal/world/virtual-clock.ts';

const START_MS = Date.parse('2026-03-01T12:00:00.000Z');

interface Ran {
  readonly result: RunResult;
  /** When each call began or ended, from the start: `0 a asked`, `2200 a provider.timeout`. */
  readonly calls: readonly string[];
}

function agent(name: string, more: JsonObject = {}): JsonObject {
  return { name, model: 'sim/m', prompt: 'hi', ...more };
}

function run(script: readonly JsonObject[], node: JsonObject): Promise<Ran> {
  return runFile({
    workflow: { name: 't', entry_point: 'a', runtime: { simulate: { m: script } } },
    nodes: [agent('a', node)],
  });
}

async function runFile(file: object): Promise<Ran> {
  const loaded = loadWorkflow('t.yaml', memoryFiles({ 't.yaml': JSON.stringify(file) }));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
  const clock = new VirtualClock(START_MS);
  const effects = createEffectRunner({ env: {}, directory: '.', functions: {} });
  const backend = new LocalBackend({
    store: openMemoryStore({ now: () => clock.now() }),
    clock,
    isShared: false,
    effects: {
      run: (request, context) => effects.run(request, { ...context, clock }),
      close: () => effects.close(),
    },
  });
  const events: RunEvent[] = [];
  const handle = await backend.start(loaded.plan, {}, { onEvent: (event) => events.push(event) });
  const result = handle.result();
  expect(await clock.passUntil(result, 3_600_000)).toBe('settled');
  await backend.close();
  return { result: await result, calls: events.flatMap(callOf) };
}

function callOf(event: RunEvent): readonly string[] {
  const atMs = Date.parse(event.at) - START_MS;
  switch (event.type) {
    case 'effect:requested':
      return [`${atMs} ${event.path} asked`];
    case 'effect:succeeded':
      return [`${atMs} ${event.path} ok`];
    case 'effect:failed':
      return [`${atMs} ${event.path} ${event.error.kind}`];
    default:
      return [];
  }
}

const limited = (seconds: number): JsonObject => ({
  fail: { kind: 'provider.rate_limited', retry_after: seconds },
});

// modules that are loaded on demand take real time, which the clock does not count
beforeAll(() => run([{ answer: 'x' }], {}));

test('the time of a node leaves out its backoffs, and its calls have what is left', async () => {
  const script = [
    { ...limited(60), delay: '500ms' },
    { answer: 'x', delay: '30s' },
  ];
  const { result, calls } = await run(script, { timeout_seconds: 2 });
  expect(result).toMatchObject({ status: 'failed', error: { kind: 'limit.node_timeout' } });
  expect(calls).toEqual([
    '0 a asked',
    '500 a provider.rate_limited',
    '60500 a asked',
    '62000 a cancelled.call',
  ]);
});

test('a call that goes first and is stopped leaves the model to the next call', async () => {
  const script = [limited(60), { answer: 'late', delay: '30s' }, { answer: 'x' }];
  const retry = { max: 1, backoff: 'none' };
  const routes = [{ to: '$end' }, { on_error: 'limit.node_timeout', retry }];
  const { result, calls } = await run(script, { timeout_seconds: 1.5, routes });
  expect(result).toMatchObject({ status: 'completed', output: { result: 'x' } });
  expect(calls).toEqual([
    '0 a asked',
    '0 a provider.rate_limited',
    '60000 a asked',
    '61500 a cancelled.call',
    '61500 a asked',
    '61500 a ok',
  ]);
});

test('a cooldown holds for all branches, and one call goes first', async () => {
  const { calls } = await runFile({
    workflow: {
      name: 't',
      entry_point: 'g',
      runtime: {
        simulate: {
          m: [limited(60), { answer: 'm', delay: '5s' }],
          n: [{ answer: 'n', delay: '10s' }],
        },
      },
    },
    nodes: [
      agent('p'),
      agent('q', { model: 'sim/n', routes: [{ to: 'q2' }] }),
      agent('q2', { routes: [{ to: '$end' }] }),
    ],
    parallel: [{ name: 'g', agents: ['p', 'q'] }],
  });
  expect(calls).toEqual([
    '0 g[p]/p asked',
    '0 g[q]/q asked',
    '0 g[p]/p provider.rate_limited',
    '10000 g[q]/q ok',
    '60000 g[p]/p asked',
    '65000 g[p]/p ok',
    // each member has the script from its beginning
    '65000 g[q]/q2 asked',
    '65000 g[q]/q2 provider.rate_limited',
    '125000 g[q]/q2 asked',
    '130000 g[q]/q2 ok',
  ]);
});
