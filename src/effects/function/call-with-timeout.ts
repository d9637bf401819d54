/**
 * Calls a foreign function within a time limit: aborts it by its signal, waits a moment, and abandons it
 * when it ignores the signal. Its later result is dropped.
 */
import { copyJson } from '../../errors/support/copy-json.ts';
import { MACHINE_CLOCK, type EffectClock } from '../clock.ts';
import type { EffectContext } from '../effect-port.ts';
import type { FunctionRequest } from './call-function.ts';

/** Grace after its own time limit: long enough to reject, too short to notice. */
const LATE_MS = 100;

/** Grace after an abort from outside. Longer, because a real result saves repeating the work. */
const STOPPED_MS = 2000;

export type CallEnd =
  | { readonly type: 'returned'; readonly value: unknown }
  | { readonly type: 'threw'; readonly thrown: unknown }
  | {
      readonly type: 'stopped';
      readonly by: 'timeout' | 'abort';
      /** It ignored the signal and is still running. */
      readonly isRunning: boolean;
      /** The result that it still returned after the signal. */
      readonly late?: { readonly value: unknown };
    };

/** An end of its own. */
type OwnEnd = Extract<CallEnd, { type: 'returned' | 'threw' }>;

/**
 * Returns a promise only if the function did: otherwise it is over, and nothing has to be awaited.
 */
export function callWithin(
  request: FunctionRequest,
  context: EffectContext,
): CallEnd | Promise<CallEnd> {
  const clock = context.clock ?? MACHINE_CLOCK;
  // a controller costs time to make, and without a time limit the effect's signal is enough
  const scope = request.timeoutMs === undefined ? undefined : new AbortController();
  const first = Promise.withResolvers<First>();
  const stopTimer =
    request.timeoutMs === undefined
      ? noop
      : clock.after(request.timeoutMs, () => first.resolve('timeout'));

  let isOver = false;
  const close = (): void => {
    isOver = true;
    stopTimer();
  };
  const work = begun(() =>
    request.run(copyJson(request.input), {
      signal: scope?.signal ?? context.signal,
      attempt: context.attempt,
      idempotencyKey: context.idempotencyKey,
      progress: (value) => {
        if (!isOver) reportProgress(context, value);
      },
    }),
  );
  if (work instanceof Promise) return endOf(work, { request, context, clock, scope, first, close });
  close();
  return work;
}

/** The first of these decides the call. */
type First = OwnEnd | 'timeout' | 'abort';

interface Begun {
  readonly request: FunctionRequest;
  readonly context: EffectContext;
  readonly clock: EffectClock;
  readonly scope: AbortController | undefined;
  readonly first: PromiseWithResolvers<First>;
  readonly close: () => void;
}

async function endOf(
  work: Promise<OwnEnd>,
  { request, context, clock, scope, first, close }: Begun,
): Promise<CallEnd> {
  const abort = (): void => first.resolve('abort');
  context.signal.addEventListener('abort', abort, { once: true });
  // it may have had itself cancelled while it began
  if (context.signal.aborted) abort();
  void work.then(first.resolve);
  try {
    const by = await first.promise;
    if (typeof by !== 'string') return by;

    scope?.abort(reasonFor(by, request, context));
    const { promise: grace, resolve: endGrace } = Promise.withResolvers<'running'>();
    const graceMs = by === 'abort' ? STOPPED_MS : LATE_MS;
    const stopGrace = clock.after(graceMs, () => endGrace('running'));
    const last = await Promise.race([work, grace]);
    stopGrace();
    if (last === 'running') return { type: 'stopped', by, isRunning: true };
    // after an abort from outside, an end of its own is the result
    if (by === 'abort') return last;
    const late = last.type === 'returned' ? { late: { value: last.value } } : {};
    return { type: 'stopped', by, isRunning: false, ...late };
  } finally {
    close();
    context.signal.removeEventListener('abort', abort);
  }
}

function noop(): void {
  // there is no timer to stop
}

/** The end of a function that returns no promise: it is over when it returns. */
function begun(run: () => unknown): OwnEnd | Promise<OwnEnd> {
  try {
    const value = run();
    return isThenable(value) ? settled(value) : { type: 'returned', value };
  } catch (thrown) {
    return { type: 'threw', thrown };
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  const isObject = typeof value === 'object' && value !== null;
  return (isObject || typeof value === 'function') && 'then' in value;
}

/** Never rejects, so that nothing is left unhandled when it is abandoned. */
async function settled(value: PromiseLike<unknown>): Promise<OwnEnd> {
  try {
    return { type: 'returned', value: await value };
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

/** A listener that throws must not fail the function. */
function reportProgress(
  { progress }: EffectContext,
  value: Parameters<NonNullable<EffectContext['progress']>>[0],
): void {
  try {
    progress?.(value);
  } catch {
    // listeners report their own failures
  }
}
