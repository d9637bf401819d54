/** The clocks and the signal over one call: whichever comes first ends it, and nobody else waits. */
import type { JsonValue } from '../../errors/json.ts';
import { MACHINE_CLOCK } from '../clock.ts';
import type { EffectContext } from '../effect.ts';
import { toOutput } from '../output.ts';

/** Whose time is over, or that nobody wants it any more. */
export type Stop = 'abort' | 'node' | 'tool';

export type First<T> =
  | { readonly type: 'done'; readonly value: T }
  | { readonly type: 'stopped'; readonly by: Stop };

export interface CallWatch {
  /** Aborted when the call is stopped, so that the server hears of it. */
  readonly signal: AbortSignal;
  /** Rejects as the work does; work that is stopped is left to itself. */
  first<T>(work: Promise<T>): Promise<First<T>>;
  /** From here on the time of the tool runs, beside the node's. */
  startTool(timeoutMs: number | undefined): void;
  progress(value: unknown): void;
  end(): void;
}

export function startWatch(nodeMs: number | undefined, context: EffectContext): CallWatch {
  const clock = context.clock ?? MACHINE_CLOCK;
  const scope = new AbortController();
  const { promise: told, resolve } = Promise.withResolvers<Stop>();
  let stop: Stop | undefined;
  const tell = (by: Stop): void => {
    stop ??= by;
    resolve(stop);
    scope.abort(new Error(by === 'abort' ? 'It is no longer wanted' : 'Its time is over'));
  };
  const timers = nodeMs === undefined ? [] : [clock.after(nodeMs, () => tell('node'))];
  const abort = (): void => tell('abort');
  context.signal.addEventListener('abort', abort, { once: true });
  return {
    signal: scope.signal,
    first: async (work) => {
      const done = work.then((value) => ({ type: 'done', value }) as const);
      // the abort makes it reject, after which nobody listens
      done.catch(() => undefined);
      const stopped = told.then((by) => ({ type: 'stopped', by }) as const);
      try {
        return await Promise.race([done, stopped]);
      } catch (thrown) {
        // our own abort comes back as a failure of the work
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

/** A watcher that throws hurts nobody, least of all the call. */
function announce({ progress }: EffectContext, value: JsonValue): void {
  try {
    progress?.(value);
  } catch {
    // subscribers report their own failures; this one only stops hearing
  }
}
