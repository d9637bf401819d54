/**
 * Conversations in memory for tests: models reply by the plan's script, tools end at once or when the
 * test says so, time passes only by waiting, and a run may be folded again from its log at any commit.
 */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import { loadWorkflow } from '../../workflow/yaml/load-workflow.ts';
import type { SimulatedAnswer, WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { ToolDescriptions } from '../../workflow/authoring/tool-description.ts';
import { pendingRequest, type EffectRequest } from '../decide/effect-request.ts';
import type { EventBody, Usage } from '../state/events.ts';
import { evolve } from '../evolve/evolve.ts';
import { failureAt } from '../decide/failure-reports.ts';
import { memoryFiles } from '../../workflow/yaml/files.cases.ts';
import type { ModelReply } from './model-message.ts';
import { scopeOf, visitOf } from '../state/plan-lookup.ts';
import { costOf } from '../policy/pricing.ts';
import { newRunState, type PendingEffect, type RunState } from '../state/state.ts';
import { step } from '../decide/step.ts';
import { stopsOf } from '../stops.cases.ts';
import { nextTimerMs } from '../state/timer-heap.ts';

export const START_MS = Date.parse('2026-03-01T12:00:00.000Z');

interface Stored {
  readonly event: EventBody;
  readonly atMs: number;
}

type Played =
  | { readonly output: JsonValue; readonly usage?: Usage }
  | { readonly failure: ReportDraft; readonly output?: JsonValue; readonly usage?: Usage };

/** Result of a tool, by its name and how often the same call was executed before. */
type Tools = Readonly<Record<string, (made: number) => JsonValue | ReportDraft>>;

export interface StageOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly describes?: ToolDescriptions;
  readonly tools?: Tools;
}

export class Stage {
  readonly plan: WorkflowPlan;
  state: RunState;
  nowMs = START_MS;
  readonly log: Stored[] = [];
  /** Every effect that was executed: its key, target and attempt. */
  readonly done: string[] = [];
  readonly #tools: Tools;

  constructor(
    workflow: object,
    { files = {}, describes = {}, tools: played = {} }: StageOptions = {},
  ) {
    const texts = { ...files, 'main.yaml': JSON.stringify(workflow) };
    const loaded = loadWorkflow('main.yaml', memoryFiles(texts));
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics, null, 2));
    const all = ['', ...Object.keys(loaded.plan.children)];
    const tools = Object.fromEntries(all.map((file) => [file, describes]));
    this.plan = { ...loaded.plan, tools };
    this.#tools = played;
    this.state = newRunState('run_1', this.plan);
    this.take({ type: 'run:started', workflow: loaded.plan.name, input: {} });
  }

  get events(): readonly EventBody[] {
    return this.log.map(({ event }) => event);
  }

  get isOver(): boolean {
    return this.state.status !== 'running';
  }

  take(...happened: readonly EventBody[]): void {
    const { nowMs: atMs } = this;
    const events = step(this.state, happened, atMs);
    this.log.push(...events.map((event) => ({ event, atMs })));
    this.endStopped();
  }

  /** Kills at once every effect that the machine stops. */
  protected endStopped(): void {
    const stops = stopsOf(this.state);
    if (stops.length > 0) this.take(...stops);
  }

  pending(): readonly PendingEffect[] {
    return [...this.state.effects.values()];
  }

  /** Executes the effect and records its result. */
  answer(pending: PendingEffect): void {
    const request = pendingRequest(this.state, pending);
    if (request === undefined) throw new Error(`${pending.scope} asks for nothing`);
    this.done.push(`${request.ref.key} ${pending.effect.target} ${pending.attempt}`);
    this.take(this.#settled(pending, request));
  }

  /** False when there is nothing to wait for. */
  wait(): boolean {
    const wakeMs = nextTimerMs(this.state.timers);
    if (wakeMs === undefined) return false;
    this.nowMs = Math.max(this.nowMs, wakeMs);
    this.take();
    return true;
  }

  /** Runs to the end; `pick` chooses which running effect ends next. */
  play(pick: (count: number) => number = () => 0, check: () => void = () => undefined): this {
    for (let count = 0; !this.isOver; count++) {
      if (count > 5000) throw new Error('it never ends');
      check();
      const pending = this.pending();
      const next = pending[pick(pending.length)];
      if (next !== undefined) this.answer(next);
      else if (!this.wait()) break;
    }
    check();
    return this;
  }

  /** The state folded from the log alone. */
  folded(): RunState {
    const state = newRunState('run_1', this.plan);
    for (const { event, atMs } of this.log) evolve(state, event, atMs);
    return state;
  }

  /** Kills the process and resumes in another: running effects are repeated. */
  kill(): void {
    this.state = this.folded();
    const again = [...this.state.effects.values()].map((pending): EventBody => {
      const { node, path } = visitOf(scopeOf(this.state, pending.scope));
      const { effect, attempt } = pending;
      return { type: 'effect:requested', node, path, effect, attempt: attempt + 1 };
    });
    this.take({ type: 'run:resumed', by: 'test' }, ...again);
  }

  #settled({ scope: id }: PendingEffect, request: EffectRequest): EventBody {
    const scope = scopeOf(this.state, id);
    const where = { node: request.node.name, path: request.path, effect: request.ref };
    const played = this.#played(request);
    const { usage } = played;
    const cost = usage === undefined ? 0 : costOf(this.state, scope, request.ref.target, usage);
    const used = usage === undefined ? {} : { usage, costUsdMicros: cost ?? 0 };
    if (!('failure' in played))
      return { type: 'effect:succeeded', ...where, output: played.output, ...used };
    const error = failureAt(this.state, scope, request.node.name, played.failure);
    const partial = played.output === undefined ? {} : { output: played.output };
    return { type: 'effect:failed', ...where, error, ...partial, ...used };
  }

  #played({ work, ref }: EffectRequest): Played {
    if (work.type === 'model') return playReply(work.call.simulated);
    const made = this.done.filter((each) => each.startsWith(ref.key)).length - 1;
    const result = this.#tools[ref.target]?.(made) ?? null;
    const isFailure = typeof result === 'object' && result !== null && 'kind' in result;
    return isFailure ? { failure: result as ReportDraft } : { output: result };
  }
}

function playReply(answer: SimulatedAnswer | undefined): Played {
  const usage = { inputTokens: 1, outputTokens: 1, ...answer?.usage };
  switch (answer?.type) {
    case 'hang':
      return { failure: { kind: 'provider.timeout', message: 'The model does not respond' } };
    case 'fail': {
      if ('status' in answer.fail) throw new Error('by kind only');
      const { kind, retryAfterMs } = answer.fail;
      const hint = retryAfterMs === undefined ? {} : { provider: { retryAfterMs } };
      return { failure: { kind, message: kind, ...hint } };
    }
    case 'stream': {
      const text = answer.chunks.join('');
      const kind = 'provider.stream_interrupted';
      if (answer.isCut) return { failure: { kind, message: kind }, output: { text }, usage };
      return { output: asJson({ text, toolCalls: [] }), usage };
    }
    case 'tool_calls': {
      const toolCalls = answer.calls.map((call, index) => ({ id: `c${index}`, ...call }));
      return { output: asJson({ text: '', toolCalls }), usage };
    }
    case 'answer':
    case undefined: {
      const content = answer?.answer ?? 'ok';
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      return { output: asJson({ text, toolCalls: [] }), usage };
    }
  }
}

function asJson(answer: ModelReply): JsonValue {
  // data of the language, all of it JSON
  return answer as unknown as JsonValue;
}
