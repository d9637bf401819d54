/** `openErrand`: the engine, loaded when it is opened, with what watches its runs. */
import type { Errand } from './engine/errand-interface.ts';
import { SHARED_OPTIONS, type ErrandOptions } from './engine/errand-options.ts';
import { refuseOldNode } from './engine/node-version.ts';
import { checkedObject, refusals } from './option-checks.ts';

/**
 * Opens an Errand on a store, or on a Temporal server. Rejects with `store.*` when it cannot be used, and
 * with `validation.input` for an option that does not exist.
 * @example
 * ```ts
 * import { openErrand, workflow } from 'errand';
 *
 * const greet = workflow({
 *   name: 'greet',
 *   entryPoint: 'hello',
 *   input: { name: { type: 'string' } },
 *   nodes: [{ name: 'hello', type: 'set', value: 'Hello {{ workflow.input.name }}' }],
 * });
 * const errand = await openErrand({ store: 'memory' });
 * const run = await errand.start(greet, { input: { name: 'Ada' } });
 * console.log(await run.result()); // { status: 'completed', output: 'Hello Ada' }
 * await errand.close();
 * ```
 */
export async function openErrand(options: ErrandOptions = {}): Promise<Errand> {
  refuseOldNode(process.versions.node);
  checkOptions(options);
  // a program that only reads failures never loads the engine
  const { createErrand } = await import('./engine/errand.ts');
  const { withSafeWarnings } = await import('./engine/safe-listeners.ts');
  const { createTelemetry, telemetryFault } = await import('./telemetry/telemetry.ts');
  const { env, directory } = options;
  const { onWarning } = withSafeWarnings(options);
  const telemetry = createTelemetry({
    ...(env === undefined ? {} : { env }),
    ...(directory === undefined ? {} : { directory }),
    onFault: (thrown) => onWarning(telemetryFault(thrown)),
  });
  return createErrand({ ...options, telemetry });
}

/** A table, so that no option can be forgotten. */
const OPTIONS: Readonly<Record<keyof ErrandOptions, true>> = {
  ...SHARED_OPTIONS,
  temporal: true,
  adopt: true,
};

/**
 * Checks options for programs without types: nobody would notice a slip until a run needs the
 * option.
 */
function checkOptions(options: unknown): void {
  const refuse = refusals('openErrand', 'Correct it, or leave it out.');
  const { store } = checkedObject(refuse, options, Object.keys(OPTIONS));
  if (store === undefined || typeof store === 'string') return;
  if (typeof store !== 'object' || store === null)
    throw refuse(
      'store',
      'is not a store',
      'Use `memory`, `sqlite:` and a path, or `postgres://` and the rest of its URL.',
    );
}
