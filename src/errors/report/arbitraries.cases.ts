/** Arbitraries for the property tests: thrown values, drafts, and reports. */
import fc from 'fast-check';
import { buildReport } from './build.ts';
import { RUNTIME_KINDS } from '../catalog/catalog.ts';
import { ErrandError } from '../thrown/errand-error.ts';
import { printable } from '../support/printable.ts';
import type { ErrorReport, ReportDraft, Stamp } from './report.ts';
import {
  ACTION_KINDS,
  CATEGORIES,
  DOMAINS,
  ERROR_CLASSES,
  OUTCOMES,
} from '../catalog/vocabulary.ts';
import { anyCharacter } from '../../../test/any-character.ts';

export const STAMP: Stamp = { id: 'err_test', at: '2026-11-15T10:30:00.000Z' };

/** Longer than the part of a text that is read before the cut. */
const MAX_CHARS = 9000;

/** Pieces of secrets and of the text around them, so that texts come close to every pattern. */
const FRAGMENTS =
  `sk- sk-proj- AKIA AIza eyJ eyJhbGciOi hf_ gsk_ xai- ghp_ Bearer bearer Basic token
  password api_key Authorization Cookie secret OPENAI_API_KEY apiKey : = => :: " ' \\" \` , ; & ? ?key=
  &sig= # { } [ ] ( ) < > . .. - _ / // :// https:// user:pass@ @ /home/ /Users/ C:\\ \\ file:// .ts …
  [redacted] [reda -----BEGIN PRIVATE KEY----- -----END abc 0123456789 ABCDEFGHIJKLMNOP x é 値 🚫`
    .split(/\s+/)
    .concat(' ', '  ', '\n', '\t', '\u001b[31m', '\u0000');

export const secretLike: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 24 }),
    fc.constantFrom(1, 1, 1, 1, 1, 6, 40, 300),
  )
  .map(([parts, times]) => parts.join('').repeat(times).slice(0, MAX_CHARS));

/** Texts that usually break things: controls, escapes, surrogates, spaces, marks, length. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  secretLike,
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom('', ' ', '\n', '\u001b[31m', '\r\n', '\ud800', '[redacted]', '…', '__proto__'),
  fc
    .tuple(fc.string({ minLength: 1, maxLength: 8 }), fc.constantFrom(1, 1, 1, 1, 50, 3000))
    .map(([part, times]) => part.repeat(times).slice(0, MAX_CHARS)),
);

/**
 * Not the keys of one escaped character: V8 can read them back from JSON as a backslash, once it has
 * read a key that is one (nodejs/node#63785; seen with 24.21.0).
 */
const anyKey = anyText.filter((key) => {
  const shown = printable(key);
  return shown.length !== 1 || JSON.stringify(shown).length === 3;
});

export const anything: fc.Arbitrary<unknown> = fc.anything({
  key: anyKey,
  withBigInt: true,
  withDate: true,
});

const lowerWord = fc.stringMatching(/^[a-z][a-z0-9_]{0,7}$/);

/** Kinds that an author may raise. */
export const authorKind: fc.Arbitrary<string> = fc
  .array(lowerWord, { minLength: 1, maxLength: 3 })
  .map((words) => `x_${words.join('.')}.y`);

export const runtimeKind = fc.constantFrom(...RUNTIME_KINDS);
const anyKind: fc.Arbitrary<string> = fc.oneof(authorKind, runtimeKind);

const count = fc.oneof(fc.nat(), fc.double({ min: 0, max: 1e15, noNaN: true }));
const time = fc
  .date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

const frame = fc.record({ workflow: anyText, node: anyText, path: anyText }, { requiredKeys: [] });

export const location = fc.record(
  {
    workflow: anyText,
    node: anyText,
    path: anyText,
    file: anyText,
    pointer: anyText,
    line: count,
    column: count,
  },
  { requiredKeys: [] },
);

const provider = fc.record(
  {
    name: anyText,
    model: anyText,
    status: count,
    code: anyText,
    type: anyText,
    requestId: anyText,
    retryAfterMs: count,
    limit: anyText,
  },
  { requiredKeys: [] },
);

const attempts = fc.array(
  fc.record(
    {
      number: fc.nat(),
      kind: anyKind,
      message: anyText,
      target: anyText,
      at: time,
      waitedMs: count,
      inputTokens: count,
      outputTokens: count,
      costUsdMicros: count,
    },
    { requiredKeys: ['number', 'kind'] },
  ),
  { maxLength: 60, size: '-1' },
);

const anyObject = fc.dictionary(anyKey, anything, { maxKeys: 6 });

const groupDetails = fc.record({
  counts: fc.dictionary(anyKind, fc.nat(), { minKeys: 1, maxKeys: 5 }),
  members: fc.dictionary(anyKey, anyObject, { maxKeys: 25 }),
  note: anyText,
});

/** Drafts that the types allow, with hostile texts and sizes. */
export const anyDraft: fc.Arbitrary<ReportDraft> = fc
  .record(
    {
      kind: anyKind,
      message: anyText,
      id: anyText,
      class: fc.constantFrom(...ERROR_CLASSES),
      category: fc.constantFrom(...CATEGORIES),
      domain: fc.constantFrom(...DOMAINS),
      retryable: fc.constantFrom(true, false, null),
      outcome: fc.constantFrom(...OUTCOMES),
      title: anyText,
      details: fc.oneof(anyObject, groupDetails, anything),
      action: fc.record({ kind: fc.constantFrom(...ACTION_KINDS), detail: anyText }),
      location,
      frames: fc.array(frame, { maxLength: 40 }),
      attempt: fc.record({ number: fc.nat(), max: fc.nat() }, { requiredKeys: ['number'] }),
      attempts,
      provider,
      rule: fc.record({
        id: anyText,
        evidence: fc.array(anyText, { maxLength: 10 }),
        confidence: fc.constantFrom('high' as const, 'low' as const),
      }),
      undeclared: fc.boolean(),
      at: time,
    },
    { requiredKeys: ['kind', 'message'] },
  )
  .map((draft) => draft);

/** Chains of reports, outermost first. */
export const anyReport: fc.Arbitrary<ErrorReport> = fc
  .array(anyDraft, { minLength: 1, maxLength: 4 })
  .map((drafts) =>
    drafts.reduceRight<ErrorReport | undefined>(
      (cause, draft) =>
        buildReport(cause === undefined ? draft : { ...draft, cause }, { stamp: STAMP }),
      undefined,
    ),
  )
  .filter((report) => report !== undefined);

const foreignError = fc
  .record({
    message: anyText,
    name: anyText,
    code: fc.oneof(anyText, fc.nat()),
    extra: anything,
  })
  .map(({ message, ...rest }) => Object.assign(new Error(message), rest));

/** Made only when it is thrown: fast-check itself cannot hold hostile values. */
export type Thrower = () => unknown;

const HOSTILE: readonly Thrower[] = [
  () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  () => new Proxy({}, { get: refuse, ownKeys: refuse, getPrototypeOf: refuse, has: refuse }),
  () => new Proxy(new Error('x'), { get: refuse }),
  () => new Proxy([], { get: refuse }),
  () => Object.defineProperty(new Error('x'), 'message', { get: refuse }),
  () => Object.defineProperty({}, 'cause', { get: refuse, enumerable: true }),
  () =>
    Object.defineProperties(
      {},
      { name: { get: refuse }, kind: { get: refuse }, v: { get: refuse } },
    ),
  () => ({ message: 'x', toJSON: refuse, toString: refuse, [Symbol.toPrimitive]: refuse }),
  () => ({ [Symbol.for('errand.report')]: refuse }),
  () => ({
    [Symbol.for('errand.report')]: () => ({ v: 1, kind: 'a.b', message: 'm', category: 'domain' }),
  }),
  () => ({ [Symbol.for('errand.report')]: () => null, kind: 'a.b' }),
  () => new Endless(),
  () => ({
    v: 1,
    kind: 'group.failed',
    message: 'm',
    category: 'unknown',
    details: { members: [], counts: 1 },
  }),
  () =>
    new ErrandError({ kind: 'NOT A KIND', message: 7 } as unknown as ReportDraft & {
      kind: string;
    }),
  () => new ErrandError({ kind: 'a.b', message: 'm', cause: 'text', at: 'never' } as never),
  () => Object.create(null) as unknown,
  () => Symbol('thrown'),
  () => 1n << 100_000n,
  () => new Uint8Array(100_000),
  () => new Map([[{}, new Set([1, new Date(Number.NaN)])]]),
  () => () => 1,
  () => new DOMException('gone', 'AbortError'),
];

/** Each read of its cause gives another one. */
class Endless {
  get cause(): Endless {
    return new Endless();
  }
}

function refuse(): never {
  throw new Error('hands off');
}

const made = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<Thrower> =>
  arbitrary.map((value) => () => value);

const leaf: fc.Arbitrary<Thrower> = fc.oneof(
  made(anyText),
  made(fc.constantFrom(null, undefined, Number.NaN, -0, 42, true)),
  made(anything),
  made(foreignError),
  made(anyDraft.map((draft) => new ErrandError(draft))),
  made(anyReport),
  fc.constantFrom(...HOSTILE),
);

/** Anything that can be thrown: leaves, and wrappers around them, also in a cycle. */
export const anyThrown: fc.Arbitrary<Thrower> = fc.oneof(
  leaf,
  fc
    .array(leaf, { minLength: 2, maxLength: 6 })
    .map((links) => () => links.map((make) => make()).reduce(wrapped)),
  fc.array(leaf, { maxLength: 30 }).map(
    (links) => () =>
      new AggregateError(
        links.map((make) => make()),
        'many',
      ),
  ),
  foreignError.map((error) => () => Object.assign(error, { cause: error })),
);

/** Makes the second a wrapper of the first. */
function wrapped(cause: unknown, link: unknown): unknown {
  if (typeof link === 'string') return Object.assign(new Error('raised'), { cause, kind: 'x_y.z' });
  return new ErrandError({ kind: 'group.failed', message: 'wrapper', details: link }, { cause });
}
