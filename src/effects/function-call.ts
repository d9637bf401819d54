/**
 * One call of a foreign function, within its time: told to stop by its signal, given a moment to do
 * so, and abandoned when it does not listen. Whatever it does after that, nobody hears of it.
 */
import { copyJson } from '../errors/copy-json.ts';
import { MACHINE_CLOCK } from './clock.ts';
import type { EffectContext } from './effect.ts';
import type { FunctionRequest } from './function.ts';

/** At its own time limit, for a function that listens: long enough to reject, too short to be waited for. */
const LATE_MS = 100;

/** When others stop it, its real end is waited for: what it has done is not to be done again. */
const STOPPED_MS = 2000;

export type Ending =
  | { readonly type: 'gave'; readonly value: unknown }
  | { readonly type: 'threw'; readonly thrown: unknown }
  | {
      readonly type: 'stopped';
      readonly by: 'timeout' | 'abort';
      /** It was told, and goes on. */
      readonly isRunning: boolean;
      /** What it still gave when it was told. */
      readonly late?: { readonly value: unknown };
    };

/** How it ended by itself. */
type Own = Extract<Ending, { type: 'gave' | 'threw' }>;

export async function callWithin(
  request: FunctionRequest,
  context: EffectContext,
): Promise<Ending> {
  const clock = context.clock ?? MACHINE_CLOCK;
  // one is dear to make, and without a limit of its own the call is over when the effect is
  const scope = request.timeoutMs === undefined ? undefined : new AbortController();
  const { promise: first, resolve: tell } = Promise.withResolvers<Own | 'timeout' | 'abort'>();
  const abort = (): void => tell('abort');
  context.signal.addEventListener('abort', abort, { once: true });
  const stopTimer =
    request.timeoutMs === undefined ? noop : clock.after(request.timeoutMs, () => tell('timeout'));

  let isOver = false;
  const work = settled(() =>
    request.run(copyJson(request.input), {
      signal: scope?.signal ?? context.signal,
      attempt: context.attempt,
      idempotencyKey: context.idempotencyKey,
      progress: (value) => {
        if (!isOver) announce(context, value);
      },
    }),
  );
  void work.then(tell);
  try {
    const by = await first;
    if (typeof by !== 'string') return by;

    scope?.abort(reasonFor(by, request, context));
    const { promise: grace, resolve: endGrace } = Promise.withResolvers<'running'>();
    const graceMs = by === 'abort' ? STOPPED_MS : LATE_MS;
    const stopGrace = clock.after(graceMs, () => endGrace('running'));
    const last = await Promise.race([work, grace]);
    stopGrace();
    if (last === 'running') return { type: 'stopped', by, isRunning: true };
    // stopped by others it has ended by itself, and says how
    if (by === 'abort') return last;
    const late = last.type === 'gave' ? { late: { value: last.value } } : {};
    return { type: 'stopped', by, isRunning: false, ...late };
  } finally {
    isOver = true;
    stopTimer();
    context.signal.removeEventListener('abort', abort);
  }
}

function noop(): void {
  // there is no timer to stop
}

/** Never rejects, so that nothing is left unhandled when it is abandoned. */
async function settled(run: () => unknown): Promise<Own> {
  try {
    return { type: 'gave', value: await run() };
  } catch (thrown) {
    return { type: 'threw', thrown };
  }
}

function reasonFor(
  by: 'timeout' | 'abort',
  { timeoutMs }: FunctionRequest,
  { signal }: EffectContext,
): unknown {
  if (by === 'abort') return signal.reason;
  return new DOMException(`The time limit of ${timeoutMs} ms is over`, 'TimeoutError');
}

/** A watcher that throws hurts nobody, least of all the function. */
function announce(
  { progress }: EffectContext,
  value: Parameters<NonNullable<EffectContext['progress']>>[0],
): void {
  try {
    progress?.(value);
  } catch {
    // subscribers report their own failures; this one only stops hearing
  }
}
