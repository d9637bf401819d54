/** Redacts what people type to resume a run, which may contain a key. */
import type { Redactor } from '../../errors/redaction/redact.ts';
import { withoutValues } from '../../errors/report/without-values.ts';
import type { BackendResumeOptions } from '../backend.ts';

export function withoutTypedSecrets(
  { input, answer, ...rest }: BackendResumeOptions,
  redactor: Redactor,
): BackendResumeOptions {
  return {
    ...rest,
    ...(input === undefined ? {} : { input: withoutValues(input, redactor) }),
    ...(answer === undefined ? {} : { answer: withoutValues(answer, redactor) }),
  };
}
