/**
 * Builds the report of an error that stopped a command. The error may come from code that does not know
 * the configured secrets, such as a store that could not be opened by its address, so they are removed here.
 */
import { withoutValues } from '../errors/report/without-values.ts';
import { keyValuesIn } from '../effects/model/key-values.ts';
import { createRedactor, type Redactor } from '../errors/redaction/redact.ts';
import type { ErrorReport } from '../errors/report/report.ts';
import { toReport } from '../errors/thrown/to-report.ts';

export function reportOf(thrown: unknown): ErrorReport {
  const redactor = configured();
  return withoutValues(toReport(thrown, { redactor }), redactor, { keys: 'as they are' });
}

/** Redacts the secrets that this process is configured with. */
export function configured(): Redactor {
  return createRedactor(keyValuesIn(process.env));
}
