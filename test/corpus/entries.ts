/**
 * The corpus of provider failures, in the form that `errand classify --jsonl` reads, with the
 * expected classification of each.
 */
import { readFileSync } from 'node:fs';

export interface Entry {
  readonly id: string;
  readonly provider: string;
  readonly api: string;
  readonly operation: 'generate' | 'submit';
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly transport: Fault | null;
  readonly stream: false | 'mid-stream';
  readonly contested: boolean;
  readonly expect: Expectation;
}

export interface Expectation {
  readonly kind: string;
  readonly category: string;
  /** Null if nobody can know: no rule recognises the failure. */
  readonly retryable: boolean | null;
  readonly retryAfterMs: number | null;
  readonly why: string;
}

export interface Fault {
  readonly name: string;
  readonly message: string;
  readonly code?: string | number | null;
  readonly cause?: Fault;
  readonly [more: string]: unknown;
}

/** The corpus that the project received. */
export const ENTRIES: readonly Entry[] = read('provider-failures.jsonl');

/**
 * More of the same sort, collected by people who had not seen the rules; README.md describes how.
 */
const MORE_ENTRIES: readonly Entry[] = read('more-failures.jsonl');

/** Written by someone who knew the rules: families of failures beside the recorded ones. */
const SIBLING_ENTRIES: readonly Entry[] = read('sibling-failures.jsonl');

/** An examination from sources that the others did not use; README.md has its first score. */
export const EXAM_ENTRIES: readonly Entry[] = read('exam-failures.jsonl');

/** Another one, later, from sources that none of the others uses. */
export const SECOND_EXAM_ENTRIES: readonly Entry[] = read('second-exam-failures.jsonl');

/** The next one, by someone else. */
export const THIRD_EXAM_ENTRIES: readonly Entry[] = read('third-exam-failures.jsonl');

/** One more, after the changes for the two before it. */
export const FOURTH_EXAM_ENTRIES: readonly Entry[] = read('fourth-exam-failures.jsonl');

/** The next one, from tests, notes and tracebacks of public repositories. */
const FIFTH_EXAM_ENTRIES: readonly Entry[] = read('fifth-exam-failures.jsonl');

/** One more, by someone who knew the rules by then. */
const SIXTH_EXAM_ENTRIES: readonly Entry[] = read('sixth-exam-failures.jsonl');

/** And one more. */
const SEVENTH_EXAM_ENTRIES: readonly Entry[] = read('seventh-exam-failures.jsonl');

/** A few more, from threads. */
const EIGHTH_EXAM_ENTRIES: readonly Entry[] = read('eighth-exam-failures.jsonl');

/** The ninth, from pages of vendors, tables of codes and threads. */
const NINTH_EXAM_ENTRIES: readonly Entry[] = read('ninth-exam-failures.jsonl');

/** The tenth, from tests of proxies and routers, and threads about clouds. */
const TENTH_EXAM_ENTRIES: readonly Entry[] = read('tenth-exam-failures.jsonl');

/** The eleventh, from notes, logs and tests of public repositories, and error pages. */
const ELEVENTH_EXAM_ENTRIES: readonly Entry[] = read('eleventh-exam-failures.jsonl');

/** The twelfth, the same way, after the changes for the eleventh. */
const TWELFTH_EXAM_ENTRIES: readonly Entry[] = read('twelfth-exam-failures.jsonl');

/** The thirteenth, by someone who had not read the rules, from threads. */
const THIRTEENTH_EXAM_ENTRIES: readonly Entry[] = read('thirteenth-exam-failures.jsonl');

/** The fourteenth, from threads about clouds, tools, databases and other languages. */
const FOURTEENTH_EXAM_ENTRIES: readonly Entry[] = read('fourteenth-exam-failures.jsonl');

/** The fifteenth, the same way, after the changes for the fourteenth. */
const FIFTEENTH_EXAM_ENTRIES: readonly Entry[] = read('fifteenth-exam-failures.jsonl');

/** The sixteenth, by someone who had not read the rules, from threads and files of public repositories. */
const SIXTEENTH_EXAM_ENTRIES: readonly Entry[] = read('sixteenth-exam-failures.jsonl');

/** The seventeenth, the other half of what the same person collected, kept from everybody until it was scored. */
const SEVENTEENTH_EXAM_ENTRIES: readonly Entry[] = read('seventeenth-exam-failures.jsonl');

/** The eighteenth, one half of what somebody collected who had not read the rules. */
const EIGHTEENTH_EXAM_ENTRIES: readonly Entry[] = read('eighteenth-exam-failures.jsonl');

/** The nineteenth, the other half of that, kept from everybody until it was scored. */
const NINETEENTH_EXAM_ENTRIES: readonly Entry[] = read('nineteenth-exam-failures.jsonl');

/** The twentieth, by someone who knew the rules, from threads about services and versions newer than the others. */
const TWENTIETH_EXAM_ENTRIES: readonly Entry[] = read('twentieth-exam-failures.jsonl');

/** The twenty-first, by someone who had not read the rules, from threads and tables of codes. */
const TWENTY_FIRST_EXAM_ENTRIES: readonly Entry[] = read('twenty-first-exam-failures.jsonl');

/** The twenty-second, by someone who had not read the rules, from logs, tests, threads and vendors' pages. */
const TWENTY_SECOND_EXAM_ENTRIES: readonly Entry[] = read('twenty-second-exam-failures.jsonl');

/** The twenty-third, the same way, with tables of codes from China and Korea. */
const TWENTY_THIRD_EXAM_ENTRIES: readonly Entry[] = read('twenty-third-exam-failures.jsonl');

/** The twenty-fourth, by someone who knew the rules, from pages and threads about services that no other has. */
const TWENTY_FOURTH_EXAM_ENTRIES: readonly Entry[] = read('twenty-fourth-exam-failures.jsonl');

/** The twenty-fifth, by the same person, from tables of codes in five languages. */
const TWENTY_FIFTH_EXAM_ENTRIES: readonly Entry[] = read('twenty-fifth-exam-failures.jsonl');

/** The twenty-sixth, by someone who had not read the rules, stratified like the first corpus. */
const TWENTY_SIXTH_EXAM_ENTRIES: readonly Entry[] = read('twenty-sixth-exam-failures.jsonl');

/** The twenty-seventh, by the author of the changes for the twenty-sixth, made like it. */
const TWENTY_SEVENTH_EXAM_ENTRIES: readonly Entry[] = read('twenty-seventh-exam-failures.jsonl');

/** The twenty-eighth, by another author of changes, in words that other people would use. */
const TWENTY_EIGHTH_EXAM_ENTRIES: readonly Entry[] = read('twenty-eighth-exam-failures.jsonl');

/** The twenty-ninth, by someone who had read neither rules nor earlier misses, stratified like the first corpus. */
const TWENTY_NINTH_EXAM_ENTRIES: readonly Entry[] = read('twenty-ninth-exam-failures.jsonl');

/** The thirtieth, by someone who had read neither rules nor earlier misses, from the hard families of failures. */
const THIRTIETH_EXAM_ENTRIES: readonly Entry[] = read('thirtieth-exam-failures.jsonl');

/** The examinations, in the order in which they were recorded. */
export const EXAMS: Readonly<Record<string, readonly Entry[]>> = {
  first: EXAM_ENTRIES,
  second: SECOND_EXAM_ENTRIES,
  third: THIRD_EXAM_ENTRIES,
  fourth: FOURTH_EXAM_ENTRIES,
  fifth: FIFTH_EXAM_ENTRIES,
  sixth: SIXTH_EXAM_ENTRIES,
  seventh: SEVENTH_EXAM_ENTRIES,
  eighth: EIGHTH_EXAM_ENTRIES,
  ninth: NINTH_EXAM_ENTRIES,
  tenth: TENTH_EXAM_ENTRIES,
  eleventh: ELEVENTH_EXAM_ENTRIES,
  twelfth: TWELFTH_EXAM_ENTRIES,
  thirteenth: THIRTEENTH_EXAM_ENTRIES,
  fourteenth: FOURTEENTH_EXAM_ENTRIES,
  fifteenth: FIFTEENTH_EXAM_ENTRIES,
  sixteenth: SIXTEENTH_EXAM_ENTRIES,
  seventeenth: SEVENTEENTH_EXAM_ENTRIES,
  eighteenth: EIGHTEENTH_EXAM_ENTRIES,
  nineteenth: NINETEENTH_EXAM_ENTRIES,
  twentieth: TWENTIETH_EXAM_ENTRIES,
  'twenty-first': TWENTY_FIRST_EXAM_ENTRIES,
  'twenty-second': TWENTY_SECOND_EXAM_ENTRIES,
  'twenty-third': TWENTY_THIRD_EXAM_ENTRIES,
  'twenty-fourth': TWENTY_FOURTH_EXAM_ENTRIES,
  'twenty-fifth': TWENTY_FIFTH_EXAM_ENTRIES,
  'twenty-sixth': TWENTY_SIXTH_EXAM_ENTRIES,
  'twenty-seventh': TWENTY_SEVENTH_EXAM_ENTRIES,
  'twenty-eighth': TWENTY_EIGHTH_EXAM_ENTRIES,
};

/** Examinations that were scored and from which nothing was learned yet: neither by rules nor by weights. */
export const OPEN_EXAMS: Readonly<Record<string, readonly Entry[]>> = {
  'twenty-ninth': TWENTY_NINTH_EXAM_ENTRIES,
  thirtieth: THIRTIETH_EXAM_ENTRIES,
};

/** All that the classifier has learned from, in the order in which they were recorded. */
export const ALL_ENTRIES: readonly Entry[] = [
  ...ENTRIES,
  ...MORE_ENTRIES,
  ...SIBLING_ENTRIES,
  ...Object.values(EXAMS).flat(),
];

function read(name: string): Entry[] {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);
}
