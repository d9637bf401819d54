/** The listeners that an application gives with its options may fail in any way; a run does not notice. */
import type { ErrorReport } from '../errors/report/report.ts';
import { safeListener } from '../errors/support/safe-listener.ts';
import type { RunOptions } from './backend.ts';
import type { EngineOptions } from './open-backend.ts';
import { warnProcess } from './process-warning.ts';

type Listeners = Pick<RunOptions, 'onEvent' | 'onProgress'> & Pick<EngineOptions, 'onInternal'>;

/** Options of a run, or of an engine; what a listener throws goes to `failed`. */
export function withSafeListeners<Options extends Listeners>(
  options: Options,
  failed: (thrown: unknown) => void,
): Options {
  const { onEvent, onProgress, onInternal } = options;
  return {
    ...options,
    ...(onEvent === undefined ? {} : { onEvent: safeListener(onEvent, failed) }),
    ...(onProgress === undefined ? {} : { onProgress: safeListener(onProgress, failed) }),
    ...(onInternal === undefined ? {} : { onInternal: safeListener(onInternal, failed) }),
  };
}

/** With a listener for warnings that never throws: nobody is left to be warned of it. */
export function withSafeWarnings<Options extends Pick<EngineOptions, 'onWarning'>>(
  options: Options,
): Options & { readonly onWarning: (error: ErrorReport) => void } {
  return { ...options, onWarning: safeListener(options.onWarning ?? warnProcess) };
}
