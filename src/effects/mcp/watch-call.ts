/** The time limits and the abort signal of one call; the first of them ends the wait. */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { MACHINE_CLOCK } from '../clock.ts';
import type { EffectContext } from '../effect-port.ts';
import { toOutput } from '../../machine/state/stored-output.ts';

/** The limit that was reached, or an abort. */
export type StopReason = 'abort' | 'node' | 'tool';

export type WorkOrStop<T> =
  | { readonly type: 'done'; readonly value: T }
  | { readonly type: 'stopped'; readonly by: StopReason };

export interface CallWatch {
  /** Aborted when the call is stopped, so that the client notifies the server. */
  readonly signal: AbortSignal;
  /** Rejects as the work does; stopped work is abandoned. */
  first<T>(work: Promise<T>): Promise<WorkOrStop<T>>;
  /** Starts the time limit of the tool, beside the node's. */
  startTool(timeoutMs: number | undefined): void;
  progress(value: unknown): void;
  end(): void;
}

export function startWatch(nodeMs: number | undefined, context: EffectContext): CallWatch {
  const clock = context.clock ?? MACHINE_CLOCK;
  const scope = new AbortController();
  const { promise: reported, resolve } = Promise.withResolvers<StopReason>();
  let stop: StopReason | undefined;
  const tell = (by: StopReason): void => {
    stop ??= by;
    resolve(stop);
    scope.abort(new Error(by === 'abort' ? 'The call was cancelled' : 'The time limit is over'));
  };
  const timers = nodeMs === undefined ? [] : [clock.after(nodeMs, () => tell('node'))];
  const abort = (): void => tell('abort');
  context.signal.addEventListener('abort', abort, { once: true });
  return {
    signal: scope.signal,
    first: async (work) => {
      const done = work.then((value) => ({ type: 'done', value }) as const);
      // the abort makes it reject after the wait has ended
      done.catch(() => undefined);
      const stopped = reported.then((by) => ({ type: 'stopped', by }) as const);
      try {
        return await Promise.race([done, stopped]);
      } catch (thrown) {
        // our own abort returns as a rejection of the work
        if (stop !== undefined) return { type: 'stopped', by: stop };
        throw thrown;
      }
    },
    startTool: (timeoutMs) => {
      if (timeoutMs !== undefined) timers.push(clock.after(timeoutMs, () => tell('tool')));
    },
    progress: (value) => {
      const output = toOutput(value, context.redactor);
      if (output.ok && stop === undefined) announce(context, output.value);
    },
    end: () => {
      for (const stopTimer of timers) stopTimer();
      context.signal.removeEventListener('abort', abort);
    },
  };
}

/** A listener that throws must not fail the call. */
function announce({ progress }: EffectContext, value: JsonValue): void {
  try {
    progress?.(value);
  } catch {
    // listeners report their own failures
  }
}
