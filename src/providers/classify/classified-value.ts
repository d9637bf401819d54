/** Classifies a failure that is written as JSON, as `errand classify` reads it. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { isPlainObject, readProperty } from '../../errors/support/safe-json.ts';
import { extractFailure } from '../extract/extract.ts';
import { classify } from './classify.ts';

export const FAILURE_FIELDS = '{"provider", "status", "headers", "body", "transport", "stream"}';

export interface ClassifyAnswer {
  readonly id?: unknown;
  readonly kind: string;
  readonly category: string;
  readonly retryable: boolean | null;
  readonly retryAfterMs: number | null;
  readonly outcome: string;
  readonly rule: string;
  readonly confidence: string;
}

/** Throws `validation.input` when the value, by this name, describes no failure. */
export function classifiedValue(value: unknown, name = 'The JSON'): ClassifyAnswer {
  const failure = isPlainObject(value) ? extractFailure({ transport: null, ...value }) : undefined;
  if (failure === undefined) {
    throw new ErrandError({
      kind: 'validation.input',
      message: `${name} describes no failure: it needs a status, a body or a transport`,
      action: {
        kind: 'change_input',
        detail: `Give an object with some of ${FAILURE_FIELDS}; errand classify --help has an example.`,
      },
    });
  }
  const { kind, category, retryable, retryAfterMs, outcome, rule, confidence } = classify(failure);
  const id = readProperty(value, 'id');
  return {
    ...(id === undefined ? {} : { id }),
    kind,
    category,
    retryable,
    retryAfterMs,
    outcome,
    rule,
    confidence,
  };
}
