/** Removes secrets and control characters from the texts of a report, and bounds them. */
import { createRedactor, type Redactor } from '../redaction/redact.ts';
import { isSecretName } from '../redaction/secret-names.ts';
import { printable, singleLine } from '../support/printable.ts';
import { readProperty, type JsonFilter } from '../support/safe-json.ts';
import { boundText, type TextFilter } from './bounded-text.ts';
import { MAX_ACTION_CHARS, MAX_WORD_CHARS } from './report-limits.ts';
import type { ErrorReport, UserAction } from './report.ts';

export const SHAPES_ONLY: Redactor = createRedactor();

export interface Cleaner {
  /** Keeps line breaks. */
  readonly text: TextFilter;
  readonly action: (action: UserAction) => UserAction;
  readonly word: TextFilter;
  readonly json: JsonFilter;
}

/** Removes control characters first, because a screen would show an interrupted secret whole. */
export function cleaner(redactor: Redactor): Cleaner {
  const text: TextFilter = (raw) => redactor.text(printable(raw));
  const line: TextFilter = (raw) => redactor.text(singleLine(printable(raw)));
  return {
    text,
    action: ({ kind, detail }) => ({
      kind,
      detail: boundText(detail, MAX_ACTION_CHARS, text).text,
    }),
    // an absent field needs no cleaning
    word: (raw) => (raw === '' ? '' : boundText(raw, MAX_WORD_CHARS, line).text),
    json: { text, hides: isSecretName },
  };
}

/**
 * Remembers the words that it left unchanged: reports repeat names of rules, providers and codes.
 */
function rememberingWords(made: Cleaner): Cleaner {
  const clean = new Set<string>();
  const word: TextFilter = (raw) => {
    if (clean.has(raw)) return raw;
    const cleaned = made.word(raw);
    if (cleaned !== raw || raw.length > MAX_KNOWN_CHARS) return cleaned;
    if (clean.size >= MAX_KNOWN_WORDS) clean.clear();
    clean.add(raw);
    return raw;
  };
  return { ...made, word };
}

const MAX_KNOWN_CHARS = 100;
const MAX_KNOWN_WORDS = 1024;

/** Shapes never change, so words can be remembered; configured values are learned at any time. */
export const BY_SHAPES: Cleaner = rememberingWords(cleaner(SHAPES_ONLY));

export function cleanRule(rule: NonNullable<ErrorReport['rule']>, clean: Cleaner): typeof rule {
  return { ...mapWords(rule, clean.word), evidence: rule.evidence.map(clean.word) };
}

/** An id of our own making, random and short, needs no cleaning. */
const OWN_ID = /^err_[a-hjkmnp-z02-9]{16}$/;

export function stampedId(id: string, { word }: Cleaner): string {
  return OWN_ID.test(id) ? id : word(id);
}

/** Fields that are not free text: a time, or a kind, which is never rewritten. */
const FIXED = new Set(['at', 'kind', 'confidence']);

export function mapWords<T extends object>(record: T, word: TextFilter): T {
  const mapped: Record<string, unknown> = {};
  for (const key of Object.keys(record)) {
    const value = readProperty(record, key);
    mapped[key] = typeof value === 'string' && !FIXED.has(key) ? word(value) : value;
  }
  // same keys, and a string stays a string
  return mapped as T;
}
