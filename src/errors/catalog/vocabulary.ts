/**
 * The closed word lists that every report is written in. A list is a value (for schemas and tests)
 * and a union (for the compiler); nothing else in the project may spell these words as free strings.
 */

/** Categories, by what makes a failure go away. Only `transient` is retried by default. */
export const CATEGORIES = [
  'transient',
  'configuration',
  'content',
  'capacity',
  'ambiguous',
  'policy',
  'limit',
  'domain',
  'cancelled',
  'defect',
  'unknown',
] as const;
export type Category = (typeof CATEGORIES)[number];

/** Each category in words, for the person who has to deal with it. */
export const CATEGORY_MEANING: Readonly<Record<Category, string>> = {
  transient: 'goes away by waiting',
  configuration: 'goes away by fixing the set-up',
  content: 'goes away by changing the input',
  capacity: 'goes away by paying, or by raising a quota',
  ambiguous: 'find out first what happened',
  policy: 'goes away when someone grants it',
  limit: 'goes away when someone raises the limit',
  domain: 'goes away by changing the workflow or its data',
  cancelled: 'someone asked for it',
  defect: 'goes away by fixing a bug',
  unknown: 'not known what makes it go away',
};

/** On which side the failure is. */
export const DOMAINS = ['input', 'config', 'runtime'] as const;
export type Domain = (typeof DOMAINS)[number];

/** Outcomes of the work that failed, as far as they are known. */
export const OUTCOMES = ['not_started', 'failed', 'partial', 'unknown'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Who owns the next move by default; one row of the catalog belongs to one class. */
export const ERROR_CLASSES = [
  'validation',
  'provider_transient',
  'provider_ambiguous',
  'provider_rejected',
  'provider_capability',
  'provider_spent',
  'tool_transient',
  'tool_terminal',
  'effect_unknown',
  'agent',
  'call',
  'script',
  'sandbox',
  'limit',
  'breaker',
  'group',
  'gate',
  'route',
  'session',
  'request',
  'cancellation',
  'extension',
  'domain',
  'internal',
] as const;
export type ErrorClass = (typeof ERROR_CLASSES)[number];

/** Actions for a person, in one word that programs can switch on. */
export const ACTION_KINDS = [
  'wait_and_retry',
  'check_billing',
  'check_credentials',
  'request_access',
  'change_input',
  'change_model',
  'fix_file',
  'fix_code',
  'fix_setup',
  'install_package',
  'raise_limit',
  'answer_gate',
  'find_out',
  'resume_run',
  'handle_error',
  'report_bug',
  'none',
] as const;
export type ActionKind = (typeof ACTION_KINDS)[number];

/** How far the damage reaches: what has to recover or change before a call can work again. */
export const REACHES = ['request', 'model', 'key', 'account', 'provider'] as const;
export type Reach = (typeof REACHES)[number];
