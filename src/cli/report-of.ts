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

const learned = new Set<string>();
let made: { readonly from: string; readonly redactor: Redactor } | undefined;

/** Adds a secret that a workflow of this command brought, or that was made for it. */
export function learnSecret(secret: string): void {
  learned.add(secret);
}

/** A new command begins with none. */
export function forgetSecrets(): void {
  learned.clear();
}

/** Redacts the secrets that this process is configured with, and those of its workflows. */
export function configured(): Redactor {
  const secrets = [...keyValuesIn(process.env), ...learned];
  const from = JSON.stringify(secrets);
  // making one takes longer than using it, and every line that a module prints uses it
  if (made?.from !== from) made = { from, redactor: createRedactor(secrets) };
  return made.redactor;
}
