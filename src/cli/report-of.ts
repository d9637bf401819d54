/**
 * The report of what kept a command from its work. It was made where nobody knew what is configured here,
 * such as in a store that could not be opened by its address.
 */
import { withoutValues } from '../errors/without-values.ts';
import { keyValuesIn } from '../effects/model/key-values.ts';
import { createRedactor, type Redactor } from '../errors/redact.ts';
import type { ErrorReport } from '../errors/report.ts';
import { toReport } from '../errors/to-report.ts';

export function reportOf(thrown: unknown): ErrorReport {
  const redactor = configured();
  return withoutValues(toReport(thrown, { redactor }), redactor, { keys: 'as they are' });
}

/** Takes out what this process is configured with. */
export function configured(): Redactor {
  return createRedactor(keyValuesIn(process.env));
}
