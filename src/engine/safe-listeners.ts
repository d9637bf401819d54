/** The listeners that an application gives with its options may do anything; a run does not notice. */
import type { ErrorReport } from '../errors/report/report.ts';
import { safeListener } from '../errors/support/safe-listener.ts';
import type { RunEvent } from '../machine/state/events.ts';
import type { RunOptions } from './backend.ts';
import type { EngineOptions } from './open-backend.ts';
import { warnProcess } from './process-warning.ts';
import { copyEvent } from './run/subscription.ts';

type Listeners = Pick<RunOptions, 'onEvent' | 'onProgress'> & Pick<EngineOptions, 'onInternal'>;

/** Options of a run, or of an engine; what a listener throws goes to `failed`. */
export function withSafeListeners<Options extends Listeners>(
  options: Options,
  failed: (thrown: unknown) => void,
): Options {
  const { onEvent, onProgress, onInternal } = options;
  return {
    ...options,
    ...(onEvent === undefined ? {} : { onEvent: onCopies(safeListener(onEvent, failed)) }),
    ...(onProgress === undefined ? {} : { onProgress: safeListener(onProgress, failed) }),
    ...(onInternal === undefined ? {} : { onInternal: safeListener(onInternal, failed) }),
  };
}

/** The run continues with the values of its events, so a listener gets a copy that it may change. */
function onCopies(listener: (event: RunEvent) => void): (event: RunEvent) => void {
  return (event) => listener(copyEvent(event));
}

/** With a listener for warnings that never throws: nobody is left to be warned of it. */
export function withSafeWarnings<Options extends Pick<EngineOptions, 'onWarning'>>(
  options: Options,
): Options & { readonly onWarning: (error: ErrorReport) => void } {
  return { ...options, onWarning: safeListener(options.onWarning ?? warnProcess) };
}
