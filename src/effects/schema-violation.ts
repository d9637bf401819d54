/** Where a value does not have its declared shape, as the message and details of a failure. */
import type { Finding } from '../workflow/value-check.ts';

export interface Violation {
  readonly message: string;
  readonly details: { readonly findings: readonly Finding[] };
}

/** `subject` begins the sentence: `The output of the function`. */
export function describeFindings(subject: string, findings: readonly Finding[]): Violation {
  const first = findings[0];
  const others = findings.length - 1;
  const rest = others < 1 ? '' : ` (and ${others} more)`;
  const where = first?.pointer || 'it';
  const problem =
    first?.of === 'schema'
      ? 'could not be checked, because its schema is no good'
      : 'does not have its declared shape';
  return {
    message: `${subject} ${problem}: ${where} ${first?.message ?? 'differs'}${rest}`,
    details: { findings },
  };
}
