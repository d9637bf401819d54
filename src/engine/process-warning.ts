/** Warns through the process, where an application has not said what to do with warnings. */
import type { ErrorReport } from '../errors/report/report.ts';

export function warnProcess({ message }: ErrorReport): void {
  process.emitWarning(message, { code: 'ERRAND' });
}
