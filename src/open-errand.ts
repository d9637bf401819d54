/** `openErrand`: the engine, loaded when it is opened, with what watches its runs. */
import type { Errand } from './engine/errand-interface.ts';
import type { ErrandOptions } from './engine/errand-options.ts';
import { refuseOldNode } from './engine/node-version.ts';
import { warnProcess } from './engine/process-warning.ts';

/**
 * Opens an Errand on a store, or on a Temporal server. Rejects with `store.*` when it cannot be used.
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
  // a program that only reads failures never loads the engine
  const { createErrand } = await import('./engine/errand.ts');
  const { createTelemetry, telemetryFault } = await import('./telemetry/telemetry.ts');
  const { env, directory, onWarning = warnProcess } = options;
  const telemetry = createTelemetry({
    ...(env === undefined ? {} : { env }),
    ...(directory === undefined ? {} : { directory }),
    onFault: (thrown) => onWarning(telemetryFault(thrown)),
  });
  return createErrand({ ...options, telemetry });
}
