/** Plays one run of generated files, leg by leg, and checks it against the printed bound alone. */
import { applyResume } from '../../../src/engine/run/resume.ts';
import type { Random } from '../../../src/rehearsal/world/random.ts';
import type { JsonValue } from '../../../src/errors/support/safe-json.ts';
import { answerEvent } from '../../../src/machine/gates/gate-answer.ts';
import { pendingRequest } from '../../../src/machine/decide/effect-request.ts';
import type { EventBody } from '../../../src/machine/state/events.ts';
import { evolve } from '../../../src/machine/evolve/evolve.ts';
import { failureAt } from '../../../src/machine/decide/failure-reports.ts';
import { scopeOf, visitOf } from '../../../src/machine/state/plan-lookup.ts';
import {
  newRunState,
  type PendingEffect,
  type RunState,
} from '../../../src/machine/state/state.ts';
import { step } from '../../../src/machine/decide/step.ts';
import { stopsOf } from '../../../src/machine/stops.cases.ts';
import { nextTimerMs } from '../../../src/machine/state/timer-heap.ts';
import type { NodePlan } from '../../../src/workflow/plan/node-plan.ts';
import type { WorkflowPlan } from '../../../src/workflow/plan/plan.ts';
import { nodeAt } from '../../../src/rehearsal/laws/subject.ts';
import type { Player } from './player.ts';

export interface Leg {
  /** The requests that were really made. */
  modelRequests: number;
  effects: number;
}

export interface FailedNode {
  readonly file: string;
  readonly node: NodePlan;
  readonly kind: string;
}

export interface Played {
  readonly legs: readonly Leg[];
  readonly failed: readonly FailedNode[];
  /** The pointers of the routes that were taken, with their files. */
  readonly taken: ReadonlySet<string>;
  readonly isCut: boolean;
}

export interface PlayOptions {
  readonly random: Random;
  readonly player: Player;
  /** The number of resumptions after an end or a crash. */
  readonly legs: number;
  /** The chance of a crash at any step. */
  readonly crashes: number;
}

const START_MS = Date.parse('2026-03-01T12:00:00.000Z');
const MOST_STEPS = 4000;

export class Play {
  readonly #options: PlayOptions;
  readonly #plan: WorkflowPlan;
  readonly #log: { readonly event: EventBody; readonly atMs: number }[] = [];
  readonly #legs: Leg[] = [{ modelRequests: 0, effects: 0 }];
  readonly #failed: FailedNode[] = [];
  readonly #taken = new Set<string>();
  #state: RunState;
  #nowMs = START_MS;

  constructor(plan: WorkflowPlan, options: PlayOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#state = newRunState('run_1', plan);
  }

  run(): Played {
    this.#take({ type: 'run:started', workflow: this.#plan.name, input: {} });
    let steps = 0;
    while (steps++ < MOST_STEPS) if (!this.#advance() && !this.#goOn()) break;
    return {
      legs: this.#legs,
      failed: this.#failed,
      taken: this.#taken,
      isCut: steps >= MOST_STEPS,
    };
  }

  /** False if the leg has ended. */
  #advance(): boolean {
    const { random, player, crashes } = this.#options;
    if (this.#state.status !== 'running') return false;
    if (random.chance(crashes) && this.#goOn()) return true;
    if (this.#answerGate()) return true;
    const effects = [...this.#state.effects.values()];
    if (effects.length > 0 && !(player.letsTimePass(this.#state) && this.#wait())) {
      this.#settle(random.pick(effects));
      return true;
    }
    return effects.length > 0 || this.#wait();
  }

  #wait(): boolean {
    const wakeMs = nextTimerMs(this.#state.timers);
    if (wakeMs === undefined) return false;
    this.#nowMs = Math.max(this.#nowMs + 1, wakeMs);
    this.#take();
    return true;
  }

  /** Does not let a person order extra attempts, which the bound does not count. */
  #answerGate(): boolean {
    const { random } = this.#options;
    const [found] = this.#state.gates;
    if (found === undefined || random.chance(0.1)) return false;
    const [gate, { options }] = found;
    const values = options.flatMap((option): JsonValue[] => {
      if (option === 'repeat' || option === 'retry') return [];
      if (option === 'edit') return [{ edit: { n: 1 } }];
      return [option];
    });
    this.#take(
      answerEvent(this.#state, { gate, value: random.pick(values), by: 'test' }, this.#nowMs),
    );
    return true;
  }

  #settle(pending: PendingEffect): void {
    const state = this.#state;
    const scope = scopeOf(state, pending.scope);
    const request = pendingRequest(state, pending);
    if (request === undefined) throw new Error(`${pending.scope} asks for nothing`);
    const { node, path } = visitOf(scope);
    const where = { node, path, effect: request.ref };
    const outcome = this.#options.player.outcome(state, pending, request);
    if (outcome.type === 'gives')
      return this.#take({ type: 'effect:succeeded', ...where, output: outcome.output });
    const error = failureAt(state, scope, node, outcome.failure);
    const partial = outcome.output === undefined ? {} : { output: outcome.output };
    const keptBack = outcome.keptBack === undefined ? {} : { keptBack: outcome.keptBack };
    this.#take({ type: 'effect:failed', ...where, error, ...keptBack, ...partial });
  }

  /** Recovers from the log alone, as after a crash; false if it has been resumed often enough. */
  #goOn(): boolean {
    const { random, legs } = this.#options;
    if (this.#legs.length >= legs) return false;
    const state = newRunState('run_1', this.#plan);
    for (const { event, atMs } of this.#log) evolve(state, event, atMs);
    this.#state = state;
    const isOver = state.status === 'completed' || state.status === 'cancelled';
    const from = isOver || random.chance(0.2) ? this.#finishedNode() : undefined;
    if (isOver && from === undefined) return false;
    this.#legs.push({ modelRequests: 0, effects: 0 });
    const how = { by: 'test', now: random.chance(0.3), ...(from === undefined ? {} : { from }) };
    this.#note(applyResume(state, how, this.#nowMs));
    this.#take();
    return true;
  }

  #finishedNode(): string | undefined {
    const root = scopeOf(this.#state, '');
    // visits that a rewind took back still count, and no node is left to repeat
    const visited = [...new Set(root.visitLog.map(({ node }) => node))];
    return visited.length === 0 ? undefined : this.#options.random.pick(visited);
  }

  #take(...happened: readonly EventBody[]): void {
    this.#note(step(this.#state, happened, this.#nowMs));
    // stopped effects end before anything else happens, as with a backend
    for (let ends = stopsOf(this.#state); ends.length > 0; ends = stopsOf(this.#state))
      this.#note(step(this.#state, ends, this.#nowMs));
  }

  #note(events: readonly EventBody[]): void {
    for (const event of events) {
      this.#log.push({ event, atMs: this.#nowMs });
      this.#count(event);
    }
  }

  #count(event: EventBody): void {
    const leg = this.#legs.at(-1);
    if (leg === undefined) return;
    switch (event.type) {
      case 'effect:requested':
        leg.effects++;
        if (event.effect.type === 'model') leg.modelRequests++;
        return;
      case 'effect:failed':
        if (event.keptBack !== 'breaker') return;
        leg.effects--;
        if (event.effect.type === 'model') leg.modelRequests--;
        return;
      case 'node:failed': {
        const found = nodeAt(this.#plan, event.path);
        if (found !== undefined)
          this.#failed.push({ file: found.file.file, node: found.node, kind: event.error.kind });
        return;
      }
      case 'route:taken': {
        const found = nodeAt(this.#plan, event.path);
        const table = event.bucket === 'workflow' ? found?.file.onError : found?.node.routes;
        const route = table?.find(({ index }) => index === event.rule);
        if (route !== undefined) this.#taken.add(`${found?.file.file ?? ''}${route.pointer}`);
        return;
      }
      default:
        return;
    }
  }
}
