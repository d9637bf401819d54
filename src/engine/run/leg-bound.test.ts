import { describe, expect, it } from 'vitest';
import { exitCode } from '../../errors/report/audiences.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import { pendingRequest } from '../../machine/decide/effect-request.ts';
import type { Bound, EventBody } from '../../machine/state/events.ts';
import { evolve } from '../../machine/evolve/evolve.ts';
import { failureAt } from '../../machine/decide/failure-reports.ts';
import { scopeOf, visitOf } from '../../machine/state/plan-lookup.ts';
import { newRunState, type RunState } from '../../machine/state/state.ts';
import { step } from '../../machine/decide/step.ts';
import { nextTimerMs } from '../../machine/state/timer-heap.ts';
import { boundOf } from '../../workflow/check/most-requests.ts';
import { memoryFiles } from '../../workflow/yaml/files.cases.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { validateWorkflow } from '../../workflow/check/validate-workflow.ts';
import { applyResume } from './resume.ts';

function planOf(
  nodes: string,
  more = '',
  files: Readonly<Record<string, string>> = {},
): WorkflowPlan {
  const text = `workflow: {name: t, entry_point: a${more}}\nnodes:\n${nodes}`;
  const verdict = validateWorkflow('main.yaml', memoryFiles({ ...files, 'main.yaml': text }), {});
  if (verdict.plan === undefined) throw new Error(JSON.stringify(verdict.files));
  return verdict.plan;
}

/** A run whose process may die at any moment; only the log survives. */
class Run {
  readonly #plan: WorkflowPlan;
  readonly #log: { readonly event: EventBody; readonly atMs: number }[] = [];
  #nowMs = Date.parse('2026-03-01T12:00:00.000Z');
  state: RunState;

  constructor(plan: WorkflowPlan, bound: Bound = boundOf(plan)) {
    this.#plan = plan;
    this.state = newRunState('run_1', plan);
    this.#take({ type: 'run:started', workflow: plan.name, input: {}, bound });
  }

  get events(): readonly EventBody[] {
    return this.#log.map(({ event }) => event);
  }

  /** Requests that were made, leg by leg. */
  get legs(): readonly number[] {
    const legs: number[] = [];
    for (const event of this.events) {
      if (event.type === 'run:started' || event.type === 'run:resumed') legs.push(0);
      const made = event.type === 'effect:requested' && event.effect.type === 'model' ? 1 : 0;
      legs.push((legs.pop() ?? 0) + made);
    }
    return legs;
  }

  /** Fails every effect with it, or succeeds. */
  play(failure?: ReportDraft, mark: { readonly keptBack?: 'breaker' } = {}): this {
    for (let turn = 0; turn < 500 && this.state.status === 'running'; turn++) {
      const [pending] = this.state.effects.values();
      const wakeMs = nextTimerMs(this.state.timers);
      if (pending === undefined && wakeMs === undefined) break;
      if (pending === undefined) {
        this.#nowMs = Math.max(this.#nowMs, wakeMs ?? 0);
        this.#take();
        continue;
      }
      const request = pendingRequest(this.state, pending);
      if (request === undefined) throw new Error('nothing is asked for');
      const scope = scopeOf(this.state, pending.scope);
      const { node, path } = visitOf(scope);
      const where = { node, path, effect: request.ref };
      if (failure === undefined) {
        this.#take({ type: 'effect:succeeded', ...where, output: { text: 'ok', toolCalls: [] } });
      } else {
        const error = failureAt(this.state, scope, node, failure);
        this.#take({ type: 'effect:failed', ...where, error, ...mark });
      }
    }
    return this;
  }

  /** The process is gone, and another resumes the run. */
  resume(how: Parameters<typeof applyResume>[1] = {}): this {
    this.state = newRunState('run_1', this.#plan);
    for (const { event, atMs } of this.#log) evolve(this.state, event, atMs);
    this.#note(applyResume(this.state, { by: 'test', ...how }, this.#nowMs));
    if (how.plan !== undefined) this.state.plan = how.plan;
    this.#take();
    return this;
  }

  #take(...happened: readonly EventBody[]): void {
    this.#note(step(this.state, happened, this.#nowMs));
  }

  #note(events: readonly EventBody[]): void {
    this.#log.push(...events.map((event) => ({ event, atMs: this.#nowMs })));
  }
}

const OVERLOADED: ReportDraft = { kind: 'provider.overloaded', message: 'busy' };
const AGENT = '  - {name: a, prompt: Hi, model: sim/m, tools: [], max_turns: 1}\n';
const ONCE =
  '  - {name: a, prompt: Hi, model: sim/m, tools: [], max_turns: 1, routes: [{to: $end}, {on_error: [provider.unknown, provider.stream_interrupted, provider.rate_limited, provider.overloaded, provider.server_error, provider.timeout, provider.network, provider.conflict], to: $end}]}\n';

describe('a leg', () => {
  it('makes no request beyond the bound that is stored with its run', () => {
    const run = new Run(planOf(AGENT), { modelRequests: 2 }).play(OVERLOADED);
    expect(run.legs).toEqual([2]);
    expect(run.state.status).toBe('failed');
    const { error } = run.state;
    expect(error).toMatchObject({
      kind: 'limit.requests',
      class: 'limit',
      outcome: 'not_started',
      retryable: false,
      details: { limit: 2, spent: 2 },
      location: { node: 'a', path: 'a' },
      cause: { kind: 'provider.overloaded' },
    });
    expect(error === undefined ? 0 : exitCode(error)).toBe(4);
  });

  it('does not apply where nothing is bounded, or to an older run without a bound', () => {
    const bounds: Bound[] = [{ modelRequests: null }];
    for (const bound of bounds)
      expect(new Run(planOf(AGENT), bound).play(OVERLOADED).state.error?.kind).toBe(
        'provider.exhausted',
      );
  });

  it('ends the run, whatever routes, groups and callers there are', () => {
    const child = { 'c.yaml': `workflow: {name: c, entry_point: a}\nnodes:\n${AGENT}` };
    const routes = 'routes: [{to: $end}, {on_error: true, retry: {max: 3, backoff: none}}]';
    const calls = planOf(
      `  - {name: a, type: workflow, workflow: ./c.yaml, ${routes}}\n`,
      ', on_error: [{on_error: "limit.*", to: $end}]',
      child,
    );
    const run = new Run(calls, { modelRequests: 1 }).play(OVERLOADED);
    expect(run.state.error?.kind).toBe('limit.requests');
    expect(run.events.filter(({ type }) => type === 'run:failed')).toHaveLength(1);
    expect(run.state.effects.size).toBe(0);
  });

  it('has the whole bound again when it is resumed', () => {
    const run = new Run(planOf(AGENT), { modelRequests: 2 }).play(OVERLOADED).resume();
    expect(run.play().state.status).toBe('completed');
    expect(run.legs).toEqual([2, 1]);
  });

  it('counts what was lost with its process and is made again', () => {
    const plan = planOf(ONCE);
    expect(boundOf(plan)).toEqual({ modelRequests: 1 });
    const run = new Run(plan).resume().resume();
    expect(run.legs).toEqual([1, 1, 1]);
    expect(run.state.legRequests).toEqual({ made: 1, most: 1 });
    expect(run.play().state.status).toBe('completed');
    expect(run.legs).toEqual([1, 1, 1]);
    // the repeated call has used up the bound of its leg
    const failing = new Run(planOf(AGENT), { modelRequests: 1 }).resume().play(OVERLOADED);
    expect(failing.legs).toEqual([1, 1]);
    expect(failing.state.error?.kind).toBe('limit.requests');
  });

  it('makes nothing again that is beyond it', () => {
    const both = `${AGENT.replace('a,', 'b,')}${AGENT.replace('a,', 'c,')}`;
    const plan = planOf(`${both}parallel: [{name: a, agents: [b, c]}]\n`);
    const run = new Run(plan);
    expect(run.legs).toEqual([2]);
    // the end waits for the call that it stops
    run.resume({ bound: { modelRequests: 1 } }).play();
    expect(run.legs).toEqual([2, 1]);
    expect(run.state.error?.kind).toBe('limit.requests');
  });

  it('does not count what an open breaker kept back', () => {
    const run = new Run(planOf(AGENT), { modelRequests: 1 });
    const turnedAway: ReportDraft = { kind: 'breaker.open', message: 'resting' };
    run.play(turnedAway, { keptBack: 'breaker' });
    expect(run.state.error?.kind).not.toBe('limit.requests');
  });

  it('counts a request that a server answered with the kind of a breaker', () => {
    const failing: ReportDraft = {
      kind: 'breaker.open',
      message: 'mine is open',
      provider: { retryAfterMs: 5 },
    };
    const chain = AGENT.replace('sim/m', '[sim/m, {model: sim/n, on: any}]');
    const run = new Run(planOf(chain), { modelRequests: 1 }).play(failing);
    expect(run.legs).toEqual([1]);
    expect(run.state.error?.kind).toBe('limit.requests');
    const alone = new Run(planOf(AGENT), { modelRequests: 24 }).play(failing);
    expect(alone.legs).toEqual([1]);
    expect(alone.state.error).toMatchObject({ attempts: [{ number: 1, kind: 'breaker.open' }] });
  });

  it('is held to the file as it is now', () => {
    const plan = planOf(AGENT);
    const run = new Run(plan).play({ kind: 'provider.auth', message: 'no' });
    const more = planOf(AGENT.replace('max_turns: 1', 'max_turns: 2'));
    run.resume({ plan: more, bound: boundOf(more), acceptDrift: true });
    expect(run.events.findLast(({ type }) => type === 'run:resumed')).toMatchObject({
      bound: { modelRequests: 12 },
    });
    expect(run.state.legRequests.most).toBe(12);
    // the next leg keeps it, and records only what has changed
    run.resume({ plan: more, bound: boundOf(more) });
    expect(run.events.findLast(({ type }) => type === 'run:resumed')).not.toHaveProperty('bound');
    expect(run.state.legRequests).toMatchObject({ most: 12 });
  });
});
