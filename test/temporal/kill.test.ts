/**
 * Workers that die, a server that goes away, several workers at once: nothing in the log is done
 * again, what may have happened is asked about, and the runs come to their end.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TemporalBackend } from '../../src/engine/temporal/client.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import type { WorkflowPlan } from '../../src/workflow/plan/plan.ts';
import { stored } from '../engine/subjects.ts';
import { planOfTexts } from '../engine/plan.ts';
import { expectWholeLog } from '../survival/books.ts';
import { Killing, until } from './killing.ts';
import { openStage, whyNot, type Stage } from './stage.ts';
import { standingProject } from './standing-project.ts';

/** So long a worker that was killed is waited for, and one that is only slow has to come back. */
const SOON = { heartbeatMs: 4000 };

const skipped = whyNot('that workers may be killed and servers restarted');

/** As an agent sees it. */
const DEED = {
  isDeclared: true,
  description: 'Does a deed',
  inputSchema: { type: 'object' },
  isIdempotent: false,
  writes: true,
};

function plan(text: string, tools: WorkflowPlan['tools'] = {}): WorkflowPlan {
  return { ...planOfTexts({ 'main.yaml': text }), tools };
}

/** How often the log asks for an effect, by path. */
function asked(events: readonly RunEvent[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const event of events)
    if (event.type === 'effect:requested') counts[event.path] = (counts[event.path] ?? 0) + 1;
  return counts;
}

describe.skipIf(skipped !== undefined)('a run on Temporal', { timeout: 300_000 }, () => {
  let stage: Stage;
  let driver: TemporalBackend;
  let killing: Killing;

  beforeAll(async () => {
    stage = await openStage('kill');
    driver = await stage.client(SOON);
    killing = new Killing(stage);
  });
  afterAll(async () => {
    await killing?.close();
    await stage?.close();
  });
  afterEach(() => killing.endTest());

  it('asks about an effect whose worker was killed, and repeats nothing else', async () => {
    const first = await killing.worker();
    const run = await driver.start(
      plan(`workflow: {name: main, entry_point: a}
agents:
  - {name: a, type: call, function: deed, arguments: {name: a}, routes: [{to: b}]}
  - {name: b, type: call, function: deed, arguments: {name: b, hangs: 1}, routes: [{to: c}]}
  - {name: c, type: call, function: deed, arguments: {name: c}}`),
      {},
    );
    await killing.untilBegun('b');
    await first.kill();
    await killing.worker();
    const paused = await run.result();
    expect(paused).toMatchObject({ status: 'paused', waiting: { reason: 'outcome', path: 'b' } });
    const events = await stored(driver.store, run.id);
    const failed = events.find(({ type }) => type === 'effect:failed');
    expect(failed).toMatchObject({
      error: {
        kind: 'effect.outcome_unknown',
        outcome: 'unknown',
        details: { temporal: [{ failure: 'ActivityFailure' }, { timeoutType: 'HEARTBEAT' }] },
      },
    });
    const answer = { value: { edit: { name: 'found out' } }, by: 'test' };
    const rest = await driver.answer(run.id, answer);
    expect(await rest?.result()).toEqual({ status: 'completed', output: { name: 'c' } });
    expect(killing.begun()).toEqual({ a: 1, b: 1, c: 1 });
    expectWholeLog(await stored(driver.store, run.id));
  });

  it('asks again for an idempotent effect, with the same key, without asking anyone', async () => {
    const first = await killing.worker();
    const run = await driver.start(
      plan(`workflow: {name: main, entry_point: a}
agents:
  - {name: a, type: call, function: deed, idempotent: true, arguments: {name: a, hangs: 1}}`),
      {},
    );
    await killing.untilBegun('a');
    await first.kill();
    await killing.worker();
    expect(await run.result()).toEqual({ status: 'completed', output: { name: 'a' } });
    const [one, two, ...more] = killing.deeds().filter(({ what }) => what === 'begun');
    expect(two?.key).toBe(one?.key);
    expect(two?.pid).not.toBe(one?.pid);
    expect(more).toEqual([]);
    expect(asked(await stored(driver.store, run.id))).toEqual({ a: 2 });
  });

  it('continues in its backoff, no sooner than it should', async () => {
    const first = await killing.worker();
    const run = await driver.start(
      plan(`workflow: {name: main, entry_point: a}
agents:
  - {name: a, type: call, function: deed, arguments: {name: a, fails: 1}, routes: [{to: $end}, {on_error: external.not_yet, retry: {max: 2, backoff: fixed, initial_seconds: 3, jitter: 0}}]}`),
      {},
    );
    await until(async () =>
      (await stored(driver.store, run.id)).some(({ type }) => type === 'node:retrying'),
    );
    await first.kill();
    await killing.worker();
    expect(await run.result()).toMatchObject({ status: 'completed' });
    const events = await stored(driver.store, run.id);
    const times = events.filter(({ type }) => type === 'effect:requested').map(({ at }) => at);
    const waitedMs = Date.parse(times[1] ?? '') - Date.parse(times[0] ?? '');
    expect(waitedMs).toBeGreaterThanOrEqual(3000);
    expect(killing.begun()).toEqual({ a: 2 });
  });

  it('continues in the middle of an agent’s loop', async () => {
    const first = await killing.worker();
    const call = (name: string): string =>
      `{tool_calls: [{name: deed, arguments: {name: ${name}}}]}`;
    const run = await driver.start(
      plan(
        `workflow:
  name: main
  entry_point: a
  runtime: {simulate: {one: [${call('t1')}, ${call('t2')}, ${call('t3')}, {answer: {label: done}, delay: 4s}]}}
agents:
  - {name: a, prompt: Go, model: sim/one, tools: [deed], output: {label: {type: string}}}`,
        { '': { deed: DEED } },
      ),
      {},
    );
    await killing.untilBegun('t3');
    await until(async () => {
      const last = (await stored(driver.store, run.id)).at(-1);
      return last?.type === 'effect:requested' && last.effect.type === 'model';
    });
    await first.kill();
    await killing.worker();
    expect(await run.result()).toEqual({ status: 'completed', output: { label: 'done' } });
    expect(killing.begun()).toEqual({ t1: 1, t2: 1, t3: 1 });
  });

  it('outlives its server', async () => {
    if (stage.server === undefined) return;
    await killing.worker();
    const run = await driver.start(
      plan(`workflow: {name: main, entry_point: a}
agents:
  - {name: a, type: call, function: deed, arguments: {name: a, ms: 1500}, routes: [{to: b}]}
  - {name: b, type: wait, duration: 2s, routes: [{to: c}]}
  - {name: c, type: call, function: deed, arguments: {name: c}}`),
      {},
    );
    await until(async () =>
      (await stored(driver.store, run.id)).some(
        ({ type, ...event }) => type === 'node:started' && 'node' in event && event.node === 'b',
      ),
    );
    await stage.server.restart();
    expect(await driver.follow(run.id, 1).result()).toEqual({
      status: 'completed',
      output: { name: 'c' },
    });
    expect(killing.begun()).toEqual({ a: 1, c: 1 });
  });

  it('continues at the worker that is left of two', async () => {
    const first = await killing.worker();
    await killing.worker();
    const runs = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        driver.start(
          plan(`workflow: {name: main, entry_point: a, input: {n: {type: string}}}
agents:
  - {name: a, type: call, function: deed, arguments: {name: "a{{ workflow.input.n }}", ms: 100}, routes: [{to: b}]}
  - {name: b, type: call, function: deed, arguments: {name: "b{{ workflow.input.n }}", ms: 400}, routes: [{to: c}]}
  - {name: c, type: call, function: deed, idempotent: true, arguments: {name: "c{{ workflow.input.n }}", ms: 100}}`),
          { n: String(index) },
        ),
      ),
    );
    await until(() => Object.keys(killing.begun('b')).length >= 3);
    await first.kill();
    for (const run of runs) {
      let result = await run.result();
      if (result.status === 'paused') {
        expect(result.waiting.reason).toBe('outcome');
        const rest = await driver.answer(run.id, { value: { edit: {} }, by: 'test' });
        result = (await rest?.result()) ?? result;
      }
      expect(result.status).toBe('completed');
      expectWholeLog(await stored(driver.store, run.id));
    }
    expect(Object.values(killing.begun('a')).every((times) => times === 1)).toBe(true);
    expect(Object.values(killing.begun('b')).every((times) => times === 1)).toBe(true);
  });

  it('loses nothing when a worker is stopped in peace', async () => {
    const first = await killing.worker();
    const run = await driver.start(
      plan(`workflow: {name: main, entry_point: a}
agents:
  - {name: a, type: call, function: deed, arguments: {name: a, ms: 1500}, routes: [{to: b}]}
  - {name: b, type: call, function: deed, arguments: {name: b}}`),
      {},
    );
    await killing.untilBegun('a');
    await Promise.all([first.stop(), killing.worker()]);
    expect(await run.result()).toEqual({ status: 'completed', output: { name: 'b' } });
    expect(killing.begun()).toEqual({ a: 1, b: 1 });
  });

  it('asks about what a worker that was stopped gave up on, when its time was over', async () => {
    const first = await killing.worker({ drainMs: 300 });
    // hangs when it is run first, and not again
    const script = (name: string): string =>
      `type: script, command: bash, args: ["-c", "echo begun ${name} k 0 >> ${killing.deedsFile}; grep -c 'begun ${name}' ${killing.deedsFile} | grep -qx 1 && exec sleep 60; echo '{}'"]`;
    const runs = await Promise.all(
      [script('a'), `${script('b')}, idempotent: true`].map((node) =>
        driver.start(
          plan(`workflow: {name: main, entry_point: a}\nagents:\n  - {name: a, ${node}}`),
          {},
        ),
      ),
    );
    await killing.untilBegun('a');
    await killing.untilBegun('b');
    await first.stop();
    await killing.worker();
    const [doubted, repeated] = await Promise.all(runs.map((run) => run.result()));
    expect(doubted).toMatchObject({ status: 'paused', waiting: { reason: 'outcome', path: 'a' } });
    expect(repeated?.status).toBe('completed');
    expect(killing.begun()).toEqual({ a: 1, b: 2 });
    const events = await stored(driver.store, runs[0]?.id ?? '');
    expect(events.findLast(({ type }) => type === 'effect:failed')).toMatchObject({
      error: { kind: 'effect.outcome_unknown', outcome: 'unknown' },
    });
  });

  it('begins nothing at a worker that stood still before it, when the run has moved on', async () => {
    const project = standingProject(killing.folder);
    // the SDK of a stopped worker still takes tasks for it, and each is lost until its time is over
    const hasty = await stage.client({ ...SOON, taskMs: 2000, queryMs: 2000 });
    const first = await killing.worker();
    const run = await hasty.start(project.plan(), {});
    await until(() => project.stands());
    await killing.worker();
    expect(await run.result()).toMatchObject({ status: 'paused', waiting: { reason: 'outcome' } });
    const answer = { value: { edit: { name: 'done by hand' } }, by: 'test' };
    const rest = await hasty.answer(run.id, answer);
    expect(await rest?.result()).toMatchObject({ status: 'completed' });
    project.goOn();
    await first.stop();
    expect(killing.begun()).toEqual({});
  });

  it('has its result also where the last worker went with it', async () => {
    const only = await killing.worker();
    const run = await driver.start(
      plan(`workflow: {name: main, entry_point: a}
agents:
  - {name: a, type: call, function: deed, arguments: {name: a}}`),
      {},
    );
    await run.result();
    await only.kill();
    const warnings: string[] = [];
    const onWarning = ({ kind }: { kind: string }): void => void warnings.push(kind);
    const hasty = await stage.client({ queryMs: 300, onWarning });
    const heard: RunEvent[] = [];
    const onEvent = (event: RunEvent): void => void heard.push(event);
    const late = hasty.follow(run.id, 1, { onEvent });
    expect(await late.result()).toEqual({ status: 'completed', output: { name: 'a' } });
    expect({ heard, warnings }).toEqual({ heard: [], warnings: ['store.unavailable'] });
  });
});
