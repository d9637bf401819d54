/** The verdict on a played scenario: whether it ended as its file says, or with a failure that nobody meant. */
import type { ErrorReport } from '../../errors/report/report.ts';
import type { Atlas } from '../places/atlas.ts';
import type { Played } from '../play/play-scenario.ts';
import { isInjected, type Trace } from '../play/play-trace.ts';

export const VERDICTS = [
  'completed',
  'failed as routed',
  'paused as routed',
  'unreached',
  'surprise',
] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Judgement {
  readonly verdict: Verdict;
  readonly why?: string;
}

export function judge(atlas: Atlas, played: Played, trace: Trace): Judgement {
  const { result } = played;
  switch (result.status) {
    case 'completed':
      return { verdict: 'completed' };
    case 'paused':
      return { verdict: 'paused as routed' };
    case 'cancelled':
      return { verdict: 'failed as routed' };
    case 'interrupted': {
      const [refusal] = played.refused;
      return {
        verdict: 'surprise',
        why: refusal ?? 'It did not end within 50 starts and resumes',
      };
    }
    case 'failed':
      return judgeFailure(atlas, result.error, trace);
  }
}

function judgeFailure(atlas: Atlas, error: ErrorReport, trace: Trace): Judgement {
  if (isInjected(error, trace.injected)) return { verdict: 'failed as routed' };
  if (isMeant(atlas, error, trace)) return { verdict: 'failed as routed' };
  return { verdict: 'surprise', why: `${error.kind}: ${error.message}` };
}

/** A halt after a success, a termination, or a limit that the file sets. */
function isMeant(atlas: Atlas, error: ErrorReport, { routes }: Trace): boolean {
  switch (error.kind) {
    case 'halt.intentional':
      return routes.at(-1)?.move === 'halt' && routes.at(-1)?.bucket === 'success';
    case 'terminate.failed':
      return true;
    default:
      return isLimitOfFile(atlas, error.kind);
  }
}

function isLimitOfFile(atlas: Atlas, kind: string): boolean {
  const limits = atlas.files.map(({ plan }) => plan.limits);
  switch (kind) {
    case 'limit.steps':
      return limits.some(({ isDefaultMaxIterations }) => !isDefaultMaxIterations);
    case 'limit.run_timeout':
      return limits.some(({ timeoutMs }) => timeoutMs !== undefined);
    case 'limit.retries':
      return limits.some(({ maxRetries }) => maxRetries !== undefined);
    case 'limit.budget':
      return (
        limits.some(
          ({ budgetUsdMicros, budgetTokens }) =>
            budgetUsdMicros !== undefined || budgetTokens !== undefined,
        ) || atlas.places.some(({ node }) => 'budget' in node && node.budget !== undefined)
      );
    default:
      return false;
  }
}

/** Kinds that no run may end with: a promise of ours is broken. */
export const BROKEN_PROMISES: ReadonlySet<string> = new Set([
  'internal.unexpected',
  'internal.invariant',
  'limit.requests',
]);

export function breaksPromise(error: ErrorReport, injected: ReadonlySet<string>): boolean {
  for (let at: ErrorReport | undefined = error; at !== undefined; at = at.cause)
    if (BROKEN_PROMISES.has(at.kind) && !injected.has(at.id)) return true;
  return false;
}
