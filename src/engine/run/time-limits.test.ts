/**
 * Time limits across resumes: which time counts while no process runs the run, and what a raised
 * limit adds.
 */
import { describe, expect, it } from 'vitest';
import type { EffectContext, EffectResult } from '../../effects/effect-port.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { memoryFiles } from '../../workflow/yaml/files.cases.ts';
import { loadWorkflow } from '../../workflow/yaml/load-workflow.ts';
import type { RunResult } from '../backend.ts';
import { LocalBackend } from '../local/local-backend.ts';
import { VirtualClock } from '../../rehearsal/world/virtual-clock.ts';

const START_MS = Date.parse('2026-03-01T12:00:00.000Z');
const LUNCH_MS = 3_600_000;
const CALL: JsonObject = { type: 'call', function: 'f' };

/** Milliseconds until it ends well, or how it fails at once. */
type Lasting = number | ReportDraft;

/**
 * One store and one clock; each backend is a process of its own, whose effects last as long as the
 * test says.
 */
class Place {
  readonly clock = new VirtualClock(START_MS);
  readonly #store = openMemoryStore({ now: () => this.clock.now() });
  /** The time limit of each effect, in milliseconds. */
  readonly given: (number | undefined)[] = [];

  async leg(
    begin: (backend: LocalBackend) => ReturnType<LocalBackend['resume']>,
    lasts: Lasting,
    forMs = 10 * LUNCH_MS,
  ): Promise<RunResult & { readonly run: string }> {
    const backend = new LocalBackend({
      store: this.#store,
      clock: this.clock,
      isShared: false,
      effects: {
        run: (request, context) => this.#run(request, context, lasts),
        close: () => Promise.resolve(),
      },
    });
    const handle = await begin(backend);
    const result = handle.result();
    if ((await this.clock.passUntil(result, forMs)) !== 'settled') handle.stop();
    return { run: handle.id, ...(await result) };
  }

  #run({ timeoutMs }: EffectRequest, { signal }: EffectContext, lasts: Lasting) {
    this.given.push(timeoutMs);
    if (typeof lasts !== 'number') return Promise.resolve({ ok: false as const, failure: lasts });
    const { promise, resolve } = Promise.withResolvers<EffectResult>();
    const cancel = this.clock.after(lasts, () => resolve({ ok: true, output: { done: true } }));
    signal.addEventListener('abort', () => {
      cancel();
      resolve({ ok: false, failure: { kind: 'cancelled.call', message: 'It was stopped' } });
    });
    return promise;
  }

  async pass(ms: number): Promise<void> {
    await this.clock.passUntil(this.clock.sleep(ms));
  }
}

function planOf(node: JsonObject, limits: JsonObject = {}): WorkflowPlan {
  const file = {
    workflow: { name: 't', entry_point: 'a', limits },
    nodes: [{ name: 'a', idempotent: true, ...node }],
  };
  const loaded = loadWorkflow('t.yaml', memoryFiles({ 't.yaml': JSON.stringify(file) }));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
  return loaded.plan;
}

describe('the time of a node', () => {
  it.each([
    ['a function', { type: 'call', function: 'f' }],
    ['a script', { type: 'script', command: 'x' }],
    ['a tool', { type: 'tool', tool: 'f' }],
  ])('is whole for %s that is asked again after an interruption', async (_, node) => {
    const place = new Place();
    const plan = planOf({ ...node, timeout_seconds: 5 });
    const { run, status } = await place.leg((backend) => backend.start(plan, {}), 2000, 1000);
    expect(status).toBe('interrupted');
    await place.pass(LUNCH_MS);
    expect(await place.leg((backend) => backend.resume(run), 2000)).toMatchObject({
      status: 'completed',
    });
    expect(place.given).toEqual([5000, 5000]);
  });

  it('leaves out the time in which no process ran the workflow inside it', async () => {
    const place = new Place();
    const inner = { name: 'one', type: 'call', function: 'f', idempotent: true };
    const file = {
      workflow: { name: 't', entry_point: 'a' },
      nodes: [{ name: 'a', type: 'workflow', workflow: './child.yaml', timeout_seconds: 60 }],
    };
    const child = { workflow: { name: 'child', entry_point: 'one' }, nodes: [inner] };
    const files = { 't.yaml': JSON.stringify(file), 'child.yaml': JSON.stringify(child) };
    const loaded = loadWorkflow('t.yaml', memoryFiles(files));
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
    const { run } = await place.leg((backend) => backend.start(loaded.plan, {}), 2000, 1000);
    await place.pass(LUNCH_MS);
    expect(await place.leg((backend) => backend.resume(run), 70_000)).toMatchObject({
      status: 'failed',
      error: { kind: 'limit.node_timeout', details: { limit: 60_000, spent: 60_000 } },
    });
  });
});

describe('the time of a run', () => {
  it('passes through an interruption, and a raised limit is taken: also one that was reached', async () => {
    const place = new Place();
    const limited = planOf(CALL, { timeout_seconds: 2 });
    const first = await place.leg((backend) => backend.start(limited, {}), 4000);
    expect(first).toMatchObject({
      status: 'failed',
      error: { kind: 'limit.run_timeout', details: { limit: 2000, spent: 2000 } },
    });
    await place.pass(LUNCH_MS);
    const plan = planOf(CALL, { timeout_seconds: 60 });
    expect(await place.leg((backend) => backend.resume(first.run, { plan }), 4000)).toMatchObject({
      status: 'completed',
    });
  });

  it('counts what was spent under the old limit', async () => {
    const place = new Place();
    const first = await place.leg(
      (backend) => backend.start(planOf(CALL, { timeout_seconds: 2 }), {}),
      4000,
    );
    const plan = planOf(CALL, { timeout_seconds: 10 });
    expect(await place.leg((backend) => backend.resume(first.run, { plan }), 30_000)).toMatchObject(
      {
        status: 'failed',
        error: { kind: 'limit.run_timeout', details: { limit: 10_000, spent: 10_000 } },
      },
    );
    const lower = planOf(CALL, { timeout_seconds: 3 });
    const third = await place.leg((backend) => backend.resume(first.run, { plan: lower }), 1000);
    expect(third).toMatchObject({
      error: { kind: 'limit.run_timeout', details: { limit: 3000, spent: 10_000 } },
    });
    const none = await place.leg(
      (backend) => backend.resume(first.run, { plan: planOf(CALL) }),
      1000,
    );
    expect(none).toMatchObject({ status: 'completed' });
  });

  it('reports what was spent, and what a wait beyond the limit would have added', async () => {
    const place = new Place();
    const retry = { max: 1, backoff: 'none' };
    const routes = [{ to: '$end' }, { on_error: 'provider.rate_limited', retry }];
    const limited: ReportDraft = {
      kind: 'provider.rate_limited',
      message: 'Later',
      provider: { name: 'p', retryAfterMs: 100_000 },
    };
    const plan = planOf({ ...CALL, routes }, { timeout_seconds: 60 });
    expect(await place.leg((backend) => backend.start(plan, {}), limited)).toMatchObject({
      error: {
        kind: 'limit.run_timeout',
        message: 'The run would have to wait 1 min 40 s, but has only 1 min of its 1 min left',
        details: { limit: 60_000, spent: 0, needed: 100_000 },
        cause: { kind: 'provider.rate_limited' },
      },
    });
  });
});
