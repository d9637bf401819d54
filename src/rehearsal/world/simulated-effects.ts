/**
 * Runs effects in the simulated world: each call follows its fate, within its time limit, and the
 * world records it whatever the engine learns of it.
 */
import {
  cancelledBefore,
  type CancellationKind,
  type EffectContext,
  type EffectResult,
} from '../../effects/effect-port.ts';
import type { Used } from '../../providers/pricing/counted-usage.ts';
import { askGuards, type NamedGuard } from '../../effects/run-guards.ts';
import { playModel } from '../../effects/simulator/play-model.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { ModelCall } from '../../machine/conversation/model-message.ts';
import type { SimulatedAnswer } from '../../workflow/plan/plan.ts';
import type { EffectRunner } from '../../engine/run/effect-runner.ts';
import type { Execution, ExecutionEnding } from './execution-record.ts';
import { timeoutFailure, type Evaluate, type Fate } from './fate.ts';
import type { VirtualClock } from './virtual-clock.ts';

export interface Begun {
  readonly execution: Execution;
  readonly fate: Fate;
  /** The tool's own time. */
  readonly toolMs: number;
}

/** The part of the world that the effects of one process need. */
export interface EffectWorld {
  readonly clock: VirtualClock;
  /** Records the call as started, and decides how it will go. */
  begin(request: EffectRequest, context: EffectContext): Begun;
  isAlive(): boolean;
  /** Whether the file has been corrected, so that a formerly refused result is good. */
  isCorrected(request: EffectRequest): boolean;
  /** Guards that are asked before each tool, like those of a host. */
  readonly guards: readonly NamedGuard[];
}

export function simulatedEffects(world: EffectWorld): EffectRunner {
  return {
    run: async (request, context) =>
      (await guarded(world, request, context)) ?? begun(world, request, context),
    close: () => Promise.resolve(),
  };
}

async function guarded(
  { guards, clock }: EffectWorld,
  { work, isApproved = false }: EffectRequest,
  context: EffectContext,
): Promise<EffectResult | undefined> {
  if (work.type !== 'tool' || guards.length === 0) return undefined;
  return askGuards(guards, { ...work, isApproved }, { ...context, clock });
}

function begun(
  world: EffectWorld,
  request: EffectRequest,
  context: EffectContext,
): Promise<EffectResult> {
  return new Promise((resolve, reject) => {
    // a dead process does nothing more
    if (!world.isAlive()) return;
    // a call that was aborted before it began is not started, as with every real effect
    if (context.signal.aborted) {
      resolve(cancelledBefore(context.cancelled ?? 'cancelled.call'));
      return;
    }
    const { recorded } = request;
    if (recorded !== undefined && world.isCorrected(request)) {
      resolve({ ok: true, output: recorded.output, isReplayed: true });
      return;
    }
    const { execution, ...begin } = world.begin(request, context);
    new SimulatedCall(world.clock, execution, (ending, result) => {
      if (execution.ending !== undefined || !world.isAlive()) return;
      execution.ending = ending;
      if (result === undefined) reject(new Error('The simulated runner of effects has a bug'));
      else resolve(result);
    }).run(request, context, begin);
  });
}

type Settle = (ending: ExecutionEnding, result?: EffectResult) => void;

/** One call of an effect, from its start to the one ending that it settles with. */
class SimulatedCall {
  readonly #clock: VirtualClock;
  readonly #execution: Execution;
  readonly #settle: Settle;

  constructor(clock: VirtualClock, execution: Execution, settle: Settle) {
    this.#clock = clock;
    this.#execution = execution;
    this.#settle = settle;
  }

  run(
    request: EffectRequest,
    context: EffectContext,
    { fate, toolMs }: Omit<Begun, 'execution'>,
  ): void {
    const { signal, cancelled } = context;
    // the time of a conversation is the machine's to keep
    const nodeMs = request.timeoutMs ?? Infinity;
    const limitMs = Math.min(nodeMs, toolMs);
    const latencyMs = fate.latencyMs + (fate.type === 'speaks' ? (fate.answer?.delayMs ?? 0) : 0);
    const isLate = fate.type === 'hangs' || latencyMs >= limitMs;
    const timer = isLate
      ? this.#atLimit(limitMs, timeoutFailure(request, { ...fate, isOfTool: toolMs < nodeMs }))
      : this.#clock.after(latencyMs, () => this.#end(request, context, fate), fate.isFirst);
    const stop = (): void => {
      this.#execution.isAborted = true;
      timer();
      if (fate.isStubborn && !isLate) {
        const leftMs = Math.min(latencyMs, GRACE_MS - 1);
        this.#clock.after(leftMs, () => this.#end(request, context, fate));
      } else this.#stopped(request, fate, cancelled ?? cancelledAs(request));
    };
    signal.addEventListener('abort', stop, { once: true });
  }

  #atLimit(limitMs: number, failure: ReportDraft): () => void {
    if (limitMs === Infinity) return () => undefined;
    return this.#clock.after(limitMs, () => this.#failed(failure));
  }

  #end({ work }: EffectRequest, context: EffectContext, fate: Fate): void {
    switch (fate.type) {
      case 'speaks':
        if (work.type === 'model') void this.#speak(work.call, fate.answer, context);
        return;
      case 'succeeds':
        this.#succeeded(fate.output, fate.errors);
        return;
      case 'throws':
        this.#settle({ type: 'threw' });
        return;
      case 'fails':
        this.#ended(fate);
        return;
      case 'loses its reply':
        this.#failed(fate.failure, this.#execution.effect.type === 'model' ? GUESSED : {});
        return;
      case 'evaluates':
        void this.#evaluate(fate.evaluate, context);
        return;
      case 'hangs':
        return;
    }
  }

  /** As a `sim/` model does it in any run; its time has passed already. */
  async #speak(
    call: ModelCall,
    answer: SimulatedAnswer | undefined,
    context: EffectContext,
  ): Promise<void> {
    const asked = answer === undefined ? call : { ...call, simulated: { ...answer, delayMs: 0 } };
    const result = await playModel(asked, { ...context, clock: this.#clock });
    this.#execution.charged = result.usage ?? {};
    this.#settle(endingOf(result), result);
  }

  async #evaluate(evaluate: Evaluate, context: EffectContext): Promise<void> {
    const result = await this.#clock.during(evaluate(context));
    this.#settle(endingOf(result), result);
  }

  #succeeded(output: JsonValue, errors: readonly ReportDraft[] | undefined): void {
    const kinds = errors === undefined ? {} : { errors: errors.map(({ kind }) => kind) };
    const beside = errors === undefined ? {} : { errors };
    this.#settle({ type: 'succeeded', output, ...kinds }, { ok: true, output, ...beside });
  }

  /** Keeps a result of the wrong shape beside the failure. */
  #ended({ failure, part, output }: Extract<Fate, { type: 'fails' }>): void {
    if (!REFUSALS.has(failure.kind)) return this.#failed(failure, {}, part);
    const kept = part ?? output;
    this.#settle(
      { type: 'failed', kind: failure.kind, output: kept },
      { ok: false, failure, output: kept, isUnusable: true },
    );
  }

  #failed(failure: ReportDraft, used: Used = {}, part?: JsonValue): void {
    const type = failure.outcome === 'unknown' ? 'lost' : 'failed';
    if (used.usage !== undefined) this.#execution.charged = used.usage;
    const output = part === undefined ? {} : { output: part };
    this.#settle(
      { type, kind: failure.kind, ...output },
      { ok: false, failure, ...output, ...used },
    );
  }

  #stopped(request: EffectRequest, { stopMs, isDeaf }: Fate, kind: string): void {
    const isModel = this.#execution.effect.type === 'model';
    // an effect that was killed may have done its work before
    const isKnown = this.#execution.isIdempotent && (isModel ? !isDeaf : true);
    if (isModel) this.#execution.charged = USED_BY_THEN;
    const used = isModel && !isDeaf ? { usage: USED_BY_THEN } : {};
    const failure: ReportDraft = {
      kind,
      ...stoppedWords(request, isDeaf),
      outcome: isKnown ? 'partial' : 'unknown',
    };
    this.#clock.after(isDeaf ? GRACE_MS : stopMs, () =>
      this.#settle({ type: 'stopped', isKnown }, { ok: false, failure, ...used }),
    );
  }
}

function endingOf(result: EffectResult): ExecutionEnding {
  return result.ok
    ? { type: 'succeeded', output: result.output }
    : { type: 'failed', kind: result.failure.kind };
}

function cancelledAs({ work }: EffectRequest): CancellationKind {
  return work.type === 'script' || work.type === 'tool' ? 'cancelled.tool' : 'cancelled.call';
}

/** In the words of the real effects. */
function stoppedWords(
  { work, ref }: EffectRequest,
  isDeaf: boolean,
): Pick<ReportDraft, 'message' | 'details'> {
  if (work.type !== 'call' && work.type !== 'tool') return { message: 'It was stopped' };
  const noun = work.type === 'call' ? 'function' : 'tool';
  const more = isDeaf ? ' and does not listen to its signal' : '';
  return {
    message: `The ${noun} ${ref.target} was cancelled while it ran${more}`,
    details: { abandoned: isDeaf },
  };
}

/** Failures of an effect that did its work but returned an unusable result. */
const REFUSALS: ReadonlySet<string> = new Set([
  'internal.output_too_large',
  'internal.schema_violation',
  'tool.output_malformed',
]);

/** The time that an effect has to end after an abort. */
const GRACE_MS = 2000;

/** For a call that was stopped on its way. */
const USED_BY_THEN = { inputTokens: 30, outputTokens: 0 };

/** Estimates usage that no provider reported, as the real model effect does. */
const GUESSED: Used = { usage: { inputTokens: 30, outputTokens: 10 }, isEstimated: true };
