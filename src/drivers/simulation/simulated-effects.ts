/**
 * Runs effects in the simulated world: each try goes as its fate says, within its time limit, and is
 * written down by the world whatever the engine hears of it.
 */
import type { EffectContext, EffectResult } from '../../effects/effect.ts';
import type { ReportDraft } from '../../errors/report.ts';
import type { EffectRequest } from '../../machine/effect-request.ts';
import type { EffectRunner } from '../effect-runner.ts';
import type { Execution, ExecutionEnding } from './execution.ts';
import { timeoutFailure, type Fate } from './fate.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** What the effects of one process need of the world around them. */
export interface EffectWorld {
  readonly clock: VirtualClock;
  /** Writes the try down as begun, and says how it will go. */
  begin(request: EffectRequest, context: EffectContext): { execution: Execution; fate: Fate };
  isAlive(): boolean;
}

export function simulatedEffects(world: EffectWorld): EffectRunner {
  return {
    run: (request, context) =>
      new Promise((resolve, reject) => {
        const { execution, fate } = world.begin(request, context);
        new Try(world.clock, execution, (ending, result) => {
          if (execution.ending !== undefined || !world.isAlive()) return;
          execution.ending = ending;
          if (result === undefined) reject(new Error('The simulated runner of effects has a bug'));
          else resolve(result);
        }).run(request, context, fate);
      }),
    close: () => Promise.resolve(),
  };
}

type Settle = (ending: ExecutionEnding, result?: EffectResult) => void;

class Try {
  readonly #clock: VirtualClock;
  readonly #execution: Execution;
  readonly #settle: Settle;

  constructor(clock: VirtualClock, execution: Execution, settle: Settle) {
    this.#clock = clock;
    this.#execution = execution;
    this.#settle = settle;
  }

  run(request: EffectRequest, { signal, cancelled }: EffectContext, fate: Fate): void {
    const limitMs = request.node.timeoutMs ?? Infinity;
    const isLate = fate.type === 'hangs' || fate.latencyMs >= limitMs;
    const timer = isLate
      ? this.#atLimit(request, fate, limitMs)
      : this.#clock.after(fate.latencyMs, () => this.#end(fate));
    const stop = (): void => {
      this.#execution.isAborted = true;
      timer();
      this.#stopped(fate, cancelled ?? 'cancelled.call');
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  }

  #atLimit(request: EffectRequest, { isDeaf }: Fate, limitMs: number): () => void {
    if (limitMs === Infinity) return () => undefined;
    return this.#clock.after(limitMs, () => {
      const failure = timeoutFailure(request, isDeaf && !request.isIdempotent);
      this.#failed(failure);
    });
  }

  #end(fate: Fate): void {
    switch (fate.type) {
      case 'succeeds':
        this.#settle({ type: 'succeeded', output: fate.output }, { ok: true, output: fate.output });
        return;
      case 'throws':
        this.#settle({ type: 'threw' });
        return;
      case 'fails':
      case 'loses its reply':
        this.#failed(fate.failure);
        return;
      case 'hangs':
        return;
    }
  }

  #failed(failure: ReportDraft): void {
    const type = failure.outcome === 'unknown' ? 'lost' : 'failed';
    this.#settle({ type, kind: failure.kind }, { ok: false, failure });
  }

  #stopped({ stopMs, isDeaf }: Fate, kind: string): void {
    const isKnown = !isDeaf || this.#execution.isIdempotent;
    const failure: ReportDraft = {
      kind,
      message: 'It was told to stop',
      outcome: isKnown ? 'partial' : 'unknown',
    };
    this.#clock.after(stopMs, () =>
      this.#settle({ type: 'stopped', isKnown }, { ok: false, failure }),
    );
  }
}
