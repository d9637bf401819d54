/** Message and details of a failure for a value that does not match its schema. */
import type { Finding } from '../workflow/json-schema/check-value.ts';

export interface Violation {
  readonly message: string;
  readonly details: { readonly findings: readonly Finding[] };
}

/** `subject` begins the sentence: `The output of the function`. */
export function describeFindings(subject: string, findings: readonly Finding[]): Violation {
  const first = findings[0];
  const others = findings.length - 1;
  const more = others < 1 ? '' : ` (and ${others} more)`;
  const where = first?.pointer || 'it';
  const problem =
    first?.of === 'schema'
      ? 'could not be checked, because its schema is not valid'
      : 'does not have its declared shape';
  return {
    message: `${subject} ${problem}: ${where} ${first?.message ?? 'differs'}${more}`,
    details: { findings },
  };
}
