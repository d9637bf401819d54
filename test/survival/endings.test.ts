/** One ending for each leg, whatever comes together: cancel, failure, time, completion, shutdown. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKind } from '../../src/errors/thrown/errand-error.ts';
import type { RunHandle } from '../../src/engine/backend.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import { expectWholeLog, legsOf } from './books.ts';
import { BAD, call, OK, planOf, Stage } from './stage.ts';

const RACES = Number(process.env['ERRAND_RACES'] ?? 600);
const LIMIT_MS = 10_000;

const GROUP = planOf({
  't.yaml': {
    workflow: { name: 't', entry_point: 'g', limits: { timeout_seconds: LIMIT_MS / 1000 } },
    nodes: [call('a'), call('b'), call('c')],
    parallel: [{ name: 'g', agents: ['a', 'b'], routes: [{ to: 'c' }] }],
  },
});
const PATHS = ['g[a]/a', 'g[b]/b', 'c'] as const;

type Act =
  | { readonly do: 'succeed' | 'fail'; readonly path: (typeof PATHS)[number] }
  | { readonly do: 'cancel' | 'stop' | 'turn' }
  | { readonly do: 'pass'; readonly ms: number };

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('succeed' as const), path: path() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fail' as const), path: path() }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('turn' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('cancel' as const, 'stop' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(4000, LIMIT_MS) }),
  },
);

function path(): fc.Arbitrary<(typeof PATHS)[number]> {
  return fc.constantFrom(...PATHS);
}

const ENDINGS: readonly string[] = ['run:completed', 'run:failed', 'run:cancelled'];
const endingsIn = (events: readonly RunEvent[]): readonly RunEvent[] =>
  events.filter(({ type }) => ENDINGS.includes(type));

describe('a race', () => {
  it.each(['ends', 'ignores'] as const)(
    'of cancel, failure, time, completion and shutdown has one ending; an effect that %s',
    async (onAbort) => {
      await fc.assert(
        fc.asyncProperty(fc.array(act, { maxLength: 14 }), async (acts) => {
          await playRace(acts, onAbort);
        }),
        { numRuns: RACES },
      );
    },
    300_000,
  );
});

/** What was asked of the run while it could still be asked. */
interface Asked {
  cancelled: boolean;
  stopped: boolean;
  failed: boolean;
  late: boolean;
}

async function playRace(acts: readonly Act[], onAbort: 'ends' | 'ignores'): Promise<void> {
  const stage = new Stage({ onAbort });
  const reported: RunEvent[] = [];
  const handle = await stage.driver.start(GROUP, {}, { onEvent: (event) => reported.push(event) });
  const begunMs = stage.clock.now();
  const asked: Asked = { cancelled: false, stopped: false, failed: false, late: false };
  await stage.turn();
  for (const step of acts) {
    const isOver = endingsIn(reported).length > 0;
    if (isOver) break;
    if (step.do === 'succeed') stage.end(step.path, OK);
    if (step.do === 'fail') asked.failed = stage.end(step.path, BAD) || asked.failed;
    if (step.do === 'turn') await stage.turn();
    if (step.do === 'pass') {
      await stage.turn();
      const isRunning = endingsIn(reported).length === 0 && !asked.stopped;
      await stage.pass(step.ms);
      asked.late ||= isRunning && stage.clock.now() - begunMs >= LIMIT_MS;
    }
    // a leg that has come to rest is over, and nobody can say more to it
    if (asked.stopped && (step.do === 'turn' || step.do === 'pass')) break;
    if (step.do === 'cancel') {
      handle.cancel('someone');
      asked.cancelled = true;
    }
    if (step.do === 'stop') {
      handle.stop();
      asked.stopped = true;
    }
  }
  await finish(stage, reported);
  const result = await handle.result();
  const events = await stage.events(handle.id);
  expectWholeLog(events);
  expect(reported).toEqual(events);
  expect(stage.performing.size, 'something is still running').toBe(0);
  expect(result.status).toSatisfy((status: string) => isRight(status, asked));
  const count = endingsIn(events).length;
  if (result.status === 'interrupted') expect(count).toBe(0);
  else expect(count).toBe(1);
  await expectLater(stage, handle.id, result.status);
}

/** Cancelled beats failed beats completed; and a process that stops a run leaves it as far as it is. */
function isRight(status: string, { cancelled, stopped, failed, late }: Asked): boolean {
  if (cancelled) return status === 'cancelled';
  if (stopped) return status === 'interrupted' || (status === 'failed') === (failed || late);
  return status === (failed || late ? 'failed' : 'completed');
}

/** Whatever still runs comes to its end, and nothing new fails. */
async function finish(stage: Stage, reported: readonly RunEvent[]): Promise<void> {
  for (let rounds = 0; rounds < 6; rounds++) {
    await stage.turn();
    for (const running of stage.performing.keys()) stage.end(running, OK);
    if (endingsIn(reported).length > 0 && stage.performing.size === 0) return;
  }
}

/** A leg that was left can be gone on with; a cancelled run cannot, and an ended one says so. */
async function expectLater(stage: Stage, run: string, status: string): Promise<void> {
  if (status === 'failed') return;
  if (status !== 'interrupted') {
    const refused = await stage.driver.resume(run).catch((error: unknown) => error);
    expect(isKind(refused, 'run.already_ended')).toBe(true);
    return;
  }
  const again = await stage.driver.resume(run);
  await finish(stage, []);
  const { status: later } = await again.result();
  expect(['completed', 'failed', 'cancelled', 'paused']).toContain(later);
  const legs = legsOf(await stage.events(run));
  expect(legs.length).toBe(2);
  expectWholeLog(await stage.events(run));
}

describe('a cancel', () => {
  const WAITING = planOf({
    't.yaml': {
      workflow: { name: 't', entry_point: 'a' },
      nodes: [
        call('a', {
          raises: ['work.bad'],
          routes: [
            { to: '$end' },
            { on_error: 'work.bad', retry: { max: 3, backoff: 'fixed', initial_seconds: 60 } },
          ],
        }),
      ],
    },
  });

  // nobody moves the clock, so a run that waited would never end
  it('during a backoff is over at once, without any time passing', async () => {
    const stage = new Stage();
    const handle = await stage.driver.start(WAITING, {});
    await stage.turn();
    stage.end('a', BAD);
    await stage.turn();
    expect((await stage.events(handle.id)).at(-1)?.type).toBe('node:retrying');
    handle.cancel('someone');
    expect(await handle.result()).toEqual({ status: 'cancelled' });
    await stage.pass(600_000);
    expect(stage.begun).toEqual(['a']);
    expect((await stage.events(handle.id)).at(-1)).toMatchObject({
      type: 'run:cancelled',
      by: 'someone',
    });
  });

  const ASKING = planOf({
    't.yaml': {
      workflow: { name: 't', entry_point: 'g' },
      nodes: [
        { name: 'g', type: 'human_gate', prompt: '?', options: [{ value: 'y', route: 'a' }] },
        call('a', { raises: ['work.bad'] }),
      ],
    },
  });
  const answerIt = (stage: Stage, run: string): Promise<unknown> =>
    stage.driver.answer(run, { value: 'y', by: 'someone' });

  it.each<[string, (stage: Stage, handle: RunHandle) => Promise<unknown>]>([
    ['before anything happened', () => Promise.resolve()],
    ['while it pauses', (stage) => stage.turn()],
    ['after it paused', (_, handle) => handle.result()],
    [
      'while a later leg executes an effect',
      async (stage, handle) => {
        await handle.result();
        await answerIt(stage, handle.id);
        await stage.turn();
      },
    ],
    [
      'after a later leg failed',
      async (stage, handle) => {
        await handle.result();
        await answerIt(stage, handle.id);
        await stage.turn();
        stage.end('a', BAD);
        await stage.turn();
      },
    ],
    [
      'after it was stopped',
      async (_, handle) => {
        handle.stop();
        await handle.result();
      },
    ],
  ])('is never lost: by the handle of the first leg, %s', async (_, lead) => {
    const stage = new Stage();
    const handle = await stage.driver.start(ASKING, {});
    await lead(stage, handle);
    handle.cancel();
    await stage.turn();
    await stage.pass(10_000);
    const events = await stage.events(handle.id);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    expect(events.filter(({ type }) => type === 'run:cancelled')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'run:cancelled', by: 'library' });
    expect(stage.performing.size).toBe(0);
    const refused = await answerIt(stage, handle.id).catch((error: unknown) => error);
    expect(isKind(refused, 'run.already_ended')).toBe(true);
  });

  it.each(['resume', 'from', 'answer', 'cancel'] as const)(
    'is for good: %s is refused and writes nothing',
    async (what) => {
      const stage = new Stage();
      const handle = await stage.driver.start(WAITING, {});
      handle.cancel('someone');
      await handle.result();
      const before = await stage.events(handle.id);
      const attempt = {
        resume: () => stage.driver.resume(handle.id),
        from: () => stage.driver.resume(handle.id, { from: 'a' }),
        answer: () => stage.driver.answer(handle.id, { value: 'retry', by: 'someone' }),
        cancel: () => stage.driver.cancel(handle.id, 'someone'),
      }[what];
      const refused = await attempt().catch((error: unknown) => error);
      expect(isKind(refused, 'run.already_ended')).toBe(true);
      expect(await stage.events(handle.id)).toEqual(before);
    },
  );
});

describe('a deadline survives a restart', () => {
  const slow = call('a', { idempotent: true });
  const inChild = { name: 'n', type: 'workflow', workflow: './child.yaml' };
  const workflow = (more: object = {}): object => ({ name: 't', entry_point: 'n', ...more });
  const child = (limits: object): object => ({
    workflow: { name: 'child', entry_point: 'a', ...limits },
    nodes: [slow],
  });
  const limits = { limits: { timeout_seconds: 100 } };

  it.each([
    [
      'of the run',
      { 't.yaml': { workflow: { ...workflow(limits), entry_point: 'a' }, nodes: [slow] } },
    ],
    [
      'of a child',
      { 't.yaml': { workflow: workflow(), nodes: [inChild] }, 'child.yaml': child(limits) },
    ],
  ])('%s', async (_, files) => {
    const stage = new Stage();
    const handle = await stage.driver.start(planOf(files), {});
    await stage.pass(60_000);
    await stage.restart();
    expect((await handle.result()).status).toBe('interrupted');
    await stage.pass(30_000);
    const again = await stage.driver.resume(handle.id);
    await stage.pass(9_999);
    expect((await stage.events(handle.id)).at(-1)?.type).not.toBe('run:failed');
    await stage.pass(1);
    expect(await again.result()).toMatchObject({
      status: 'failed',
      error: { kind: 'limit.run_timeout' },
    });
    expect(stage.performing.size).toBe(0);
  });

  it('of a node that calls a workflow, without the time in which no process ran the run', async () => {
    const stage = new Stage();
    const first = call('first', { routes: [{ to: 'a' }] });
    const plan = planOf({
      't.yaml': { workflow: workflow(), nodes: [{ ...inChild, timeout_seconds: 100 }] },
      'child.yaml': { workflow: { name: 'child', entry_point: 'first' }, nodes: [first, slow] },
    });
    const handle = await stage.driver.start(plan, {});
    await stage.pass(60_000);
    stage.end('n/first', OK);
    await stage.turn();
    await stage.restart();
    expect((await handle.result()).status).toBe('interrupted');
    await stage.pass(3_600_000);
    const again = await stage.driver.resume(handle.id);
    await stage.pass(39_999);
    expect((await stage.events(handle.id)).at(-1)?.type).not.toBe('run:failed');
    await stage.pass(1);
    expect(await again.result()).toMatchObject({
      status: 'failed',
      error: { kind: 'limit.node_timeout', details: { limit: 100_000, spent: 100_000 } },
    });
    expect(stage.begun).toEqual(['n/first', 'n/a', 'n/a']);
    expect(stage.performing.size).toBe(0);
  });

  it('and one that passed meanwhile ends the run when it is taken up', async () => {
    const stage = new Stage();
    const plan = planOf({
      't.yaml': { workflow: { name: 't', entry_point: 'a', ...limits }, nodes: [slow] },
    });
    const handle = await stage.driver.start(plan, {});
    await stage.pass(1000);
    await stage.restart();
    await stage.pass(3_600_000);
    const again = await stage.driver.resume(handle.id);
    expect(await again.result()).toMatchObject({ error: { kind: 'limit.run_timeout' } });
    expect(stage.begun).toEqual(['a']);
  });
});
