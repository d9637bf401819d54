/**
 * Judges failures, for Node: the classifier is most of the cost of importing the package, so the
 * first failure loads it. Bundlers use `whole.ts`, which imports it.
 */
import { createRequire } from 'node:module';
import { ownExtension } from './errors/support/own-extension.ts';
import { ErrandError } from './errors/thrown/errand-error.ts';
import { toReport } from './errors/thrown/to-report.ts';
import type { ErrorReport } from './errors/report/report.ts';
import type { ReportFromOptions } from './providers/report-from.ts';
import {
  resilienceWith,
  type ReportFrom,
  type ResilienceOptions,
  type WithResilience,
} from './resilience.ts';

// a bundle in another format than ES modules has no address, and still has to load
const JUDGING = `./judging${ownExtension(import.meta.url)}`;

let loaded: { readonly reportFrom: ReportFrom } | undefined;

/**
 * Makes a report of any thrown value, from a provider's SDK or from other code. Never throws.
 * @example
 * ```ts
 * import { reportFrom } from 'errand';
 *
 * const thrown = { status: 529, headers: {}, body: { error: { type: 'overloaded_error' } } };
 * const report = reportFrom(thrown, { provider: 'anthropic' });
 * console.log(report.kind, report.retryable); // provider.overloaded true
 * console.log(reportFrom('anything else').kind); // call.failed
 * ```
 */
export function reportFrom(thrown: unknown, options: ReportFromOptions = {}): ErrorReport {
  loaded ??= load();
  return loaded.reportFrom(thrown, options);
}

const makeResilience = /* @__PURE__ */ resilienceWith(reportFrom);

/**
 * Makes a `withResilience` with breakers and a clock of its own: one for each tenant, or for a test.
 * Throws `validation.input` for invalid options.
 * @example
 * ```ts
 * import { createResilience } from 'errand';
 *
 * const breakers = new Map();
 * const resilient = createResilience({ breakers });
 * await resilient(() => 'called', { breaker: 'openai' });
 * console.log([...breakers.keys()]); // [ 'openai' ]
 * ```
 */
export function createResilience(options: ResilienceOptions = {}): WithResilience {
  return makeResilience(options);
}

/**
 * Retries a call if that helps, behind a breaker and within a deadline: the default instance of
 * `createResilience`. Throws an `ErrandError` with the last failure's report and all attempts. If a
 * deadline, an open breaker or the caller ends the call, the last failure is the cause. A failure
 * whose `retryable` is null (nobody knows) is not retried, unless `on` names its kind. Rejects with
 * `validation.input` for invalid options, before it makes the call.
 * @example
 * ```ts
 * import { raise, withResilience } from 'errand';
 *
 * let calls = 0;
 * const reply = await withResilience(
 *   () => (++calls < 2 ? raise('house.busy', 'Come back later') : 'done'),
 *   { retry: { max: 2, initialSeconds: 0, on: ['house.busy'] }, deadlineMs: 30_000 },
 * );
 * console.log(reply, calls); // done 2
 * ```
 */
export const withResilience: WithResilience = /* @__PURE__ */ createResilience();

function load(): { readonly reportFrom: ReportFrom } {
  try {
    // a module of ours; the cast repeats its type
    return createRequire(import.meta.url)(JUDGING) as { readonly reportFrom: ReportFrom };
  } catch {
    // the failure of the call matters more than a missing file of ours
    return { reportFrom: withoutClassifier };
  }
}

function withoutClassifier(thrown: unknown): ErrorReport {
  const missing = {
    kind: 'extension.missing',
    message:
      'This bundle lacks the classifier of failures: bundle errand with the condition `module`',
    action: {
      kind: 'fix_code',
      detail: 'Let the bundler use the condition `module`, or leave errand out of the bundle.',
    },
  } as const;
  return toReport(new ErrandError({ ...missing, cause: toReport(thrown) }));
}
