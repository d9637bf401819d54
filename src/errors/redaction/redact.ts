/**
 * Redacts secrets in text and values; `machine/state/storable.ts` applies it to every event. It looks for the values of configured
 * keys in every spelling, and for the shapes of keys, headers, credentials and tokens. Redacting twice is
 * the same as once. Every pattern starts at a boundary and never reads a character again for another
 * start, so that a hostile text costs linear time.
 */
import { once } from '../support/once.ts';
import { ELLIPSIS, REDACTED } from '../report/bounded-text.ts';
import {
  Meanings,
  redactDecoded,
  redactSeen,
  type Find,
  type Finders,
  type Range,
} from './text-decodings.ts';
import { readingsOf } from './misread-encodings.ts';
import { assignedIn, isSecretName, redactAssignments } from './secret-names.ts';
import { settledChars, type FindersOfBegun } from './begun-secrets.ts';
import { partsOf } from './secret-parts.ts';
import { encodingsOf, spellingsOf } from './secret-spellings.ts';

/** Shorter configured values are words, not secrets; redacting them would only spoil the text. */
const MIN_VALUE_CHARS = 4;

/** Two lines that happen to end and begin with the halves of a shorter value are just two lines. */
const MIN_BROKEN_CHARS = 12;

/** Later backspaces can delete this many letters. */
const SPARE_CHARS = 4;

export interface Redactor {
  /** For reports and `stderr`: configured values and secret shapes. */
  readonly text: (text: string, key?: string) => string;
  /** For inputs and outputs, which must stay what ran: configured values only. */
  readonly values: (text: string) => string;
  /** Adds a secret that was not known at the start, such as a key that was just made. */
  readonly learn?: (value: string) => void;
  /**
   * How many characters at the end of a continuing text may belong to a secret: the text cannot be
   * cut there.
   */
  readonly begunChars?: (text: string) => number;
  /** True while it knows no value, so that a caller can skip `values`. */
  readonly isEmpty?: () => boolean;
}

/**
 * Makes a redactor, which removes these values and everything with the shape of a secret from texts.
 * @example
 * ```ts
 * import { createRedactor } from 'errand/errors';
 *
 * const redactor = createRedactor(['correct-horse-battery']);
 * console.log(redactor.text('The key is correct-horse-battery.')); // The key is [redacted].
 * ```
 */
export function createRedactor(configuredValues: readonly string[] = []): Redactor {
  const plain = new Needles();
  const encoded = new Needles();
  const learn = (secrets: readonly string[]): void => {
    const secretValues = secrets.filter((secret) => !isTrivial(secret)).flatMap(readingsOf);
    plain.add(secretValues.flatMap(spellingsOf));
    plain.add(secretValues.flatMap(partsOf).filter((part) => !isTrivial(part)));
    encoded.add(secretValues.flatMap(encodingsOf));
  };
  // every program pays for what is made while it starts
  if (configuredValues.length > 0) learn(configuredValues);
  const inGapped: Find = (meant) => [...plain.rangesIn(meant), ...encoded.rangesAcrossGaps(meant)];
  const finders: Finders = {
    inText: (meant) => [...plain.rangesIn(meant), ...encoded.rangesIn(meant)],
    inSeen: inGapped,
    inGapped,
    inHex: (hex) => encoded.rangesIn(hex),
    inLines: (meant) => plain.rangesIn(meant, MIN_BROKEN_CHARS),
  };
  const begun: FindersOfBegun = {
    plain: (meant) => plain.begunAt(meant, SPARE_CHARS),
    encoded: (meant) => encoded.begunAt(meant),
  };
  const values = (text: string): string => {
    if (text.length < MIN_VALUE_CHARS || plain.isEmpty) return text;
    const options = { mark: REDACTED, meanings: new Meanings() };
    const seen = redactSeen(text, finders, options);
    const decoded = redactDecoded(encoded.redact(plain.redact(seen)), finders, options);
    return encoded.redactAcrossGaps(decoded);
  };

  return {
    values,
    learn: (value) => learn([value]),
    isEmpty: () => plain.isEmpty,
    begunChars: (text) => (plain.isEmpty ? 0 : text.length - settledChars(text, begun, finders)),
    text: (text, key) => {
      if (key !== undefined && text !== '' && isSecretName(key)) return REDACTED;
      const redacted = values(text);
      // the ellipsis of a cut text is not part of the text
      return redacted.endsWith(ELLIPSIS)
        ? untilStable(redacted.slice(0, -1)) + ELLIPSIS
        : untilStable(redacted);
    },
  };
}

/** Also reports what it learns, for output of a process outside of its runs. */
export function tellingRedactor(
  redactor: Redactor,
  tell: ((secret: string) => void) | undefined,
): Redactor {
  if (tell === undefined) return redactor;
  const learn = (secret: string): void => {
    redactor.learn?.(secret);
    tell(secret);
  };
  return { ...redactor, learn };
}

/**
 * Words that people configure as keys where none is needed. They are not secrets, and redacting
 * them would spoil every output with the word.
 */
const words = once(
  (): ReadonlySet<string> =>
    new Set(
      `true false null none undefined default empty test testing tests dummy fake fakekey example sample
       placeholder anything unused local localhost debug info warn warning error trace verbose production
       development staging prod admin root user guest postgres postgresql errand sqlite memory password
       secret changeme token apikey api_key api-key bearer basic utf-8 json text/plain text/html
       application/json application/xml`.split(/\s+/),
    ),
);

/** True for a value that is too common to be a secret: an ordinary word, a small number, a flag. */
export function isTrivial(value: string): boolean {
  const word = value.trim().toLowerCase();
  return word.length < MIN_VALUE_CHARS || words().has(word) || /^[-+]?[\d.,]{1,6}$/.test(word);
}

/** Texts to search for, the longest first. */
class Needles {
  readonly #known = new Set<string>();
  #sorted: readonly string[] = [];
  #byFirst: ReadonlyMap<string, readonly string[]> = new Map();

  get isEmpty(): boolean {
    return this.#sorted.length === 0;
  }

  add(needles: readonly string[]): void {
    const before = this.#known.size;
    for (const needle of needles)
      if (needle.length >= MIN_VALUE_CHARS && !REDACTED.includes(needle)) this.#known.add(needle);
    // a host starts the same workflow many times
    if (this.#known.size === before) return;
    this.#sorted = [...this.#known].sort((a, b) => b.length - a.length);
    this.#byFirst = Map.groupBy(this.#sorted, (needle) => needle.charAt(0));
  }

  redact(text: string): string {
    let result = text;
    for (const needle of this.#sorted)
      // most texts have none, and searching is much quicker than replacing
      if (result.includes(needle)) result = result.replaceAll(needle, REDACTED);
    return result;
  }

  rangesIn(text: string, minChars = MIN_VALUE_CHARS): readonly Range[] {
    return this.#sorted.flatMap((needle) => {
      if (needle.length < minChars) return [];
      const found: Range[] = [];
      for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length))
        found.push([at, at + needle.length]);
      return found;
    });
  }

  /**
   * The start of a needle that is unfinished at the end of the text; the length of the text if
   * there is none. Up to `spare` characters may follow the unfinished part.
   */
  begunAt(text: string, spare = 0): number {
    const longest = this.#sorted[0]?.length ?? 0;
    for (let at = Math.max(0, text.length - spare - longest + 1); at < text.length; at++) {
      const needles = this.#byFirst.get(text.charAt(at));
      if (needles === undefined) continue;
      const seen = text.slice(at, Math.max(at + 1, text.length - spare));
      if (needles.some((needle) => needle.length > seen.length && needle.startsWith(seen)))
        return at;
    }
    return text.length;
  }

  /** `base64` breaks its lines, `xxd` writes spaces, and a text put on one line has spaces for its breaks. */
  redactAcrossGaps(text: string): string {
    const pattern = this.#acrossGaps(text);
    return pattern === undefined ? text : text.replace(pattern, REDACTED);
  }

  rangesAcrossGaps(text: string): readonly Range[] {
    const pattern = this.#acrossGaps(text);
    if (pattern === undefined) return this.rangesIn(text);
    return Array.from(text.matchAll(pattern), ({ 0: { length }, index }): Range => [
      index,
      index + length,
    ]);
  }

  /** Matches the needles that occur; undefined where none does, or where there is no gap. */
  #acrossGaps(text: string): RegExp | undefined {
    const shortest = this.#sorted.at(-1)?.length ?? Infinity;
    if (text.length <= shortest || !GAP.test(text)) return undefined;
    const joined = text.replace(GAPS, '');
    const found = this.#sorted.filter((needle) => joined.includes(needle));
    if (found.length === 0) return undefined;
    const pattern = found.map((needle) => needle.split('').join('[\\s:]*')).join('|');
    // the needles have letters, digits, + and / only
    return new RegExp(pattern.replaceAll('+', '\\+'), 'g');
  }
}

/** Fingerprints have colons between their bytes. */
const GAP = /[\s:]/;
const GAPS = /[\s:]+/g;

/** Text beside a mark can match a shape only once the mark is there. */
const MAX_PASSES = 8;

/** Short texts without a shape of a secret; reports repeat the same titles, kinds and advice. */
const KNOWN_CLEAN = new Set<string>();
const MAX_KNOWN_CLEAN = 1024;
const MAX_CLEAN_CHARS = 200;

function untilStable(text: string): string {
  if (KNOWN_CLEAN.has(text)) return text;
  let before = text;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const after = redactShapes(before);
    if (after === before) break;
    before = after;
  }
  if (before === text && text.length <= MAX_CLEAN_CHARS) rememberClean(text);
  return before;
}

function rememberClean(text: string): void {
  if (KNOWN_CLEAN.size >= MAX_KNOWN_CLEAN) KNOWN_CLEAN.clear();
  KNOWN_CLEAN.add(text);
}

function redactShapes(text: string): string {
  if (text.length < MIN_VALUE_CHARS) return text;
  const seen = redactSeen(text, { inSeen: shapesIn }, { mark: REDACTED });
  return KEYS.reduce(replaceShape, redactAssignments(ENCLOSING.reduce(replaceShape, seen)));
}

interface Shape {
  readonly pattern: RegExp;
  /** Keeps what the first group matches. */
  readonly kept?: '$1';
  /** Occurs in every match; searching for it first is quicker than the pattern. */
  readonly needs?: string;
  /** Ends every match, and is kept. */
  readonly end?: string;
}

function replaceShape(text: string, { pattern, needs = '', kept, end = '' }: Shape): string {
  return text.includes(needs) ? text.replace(pattern, `${kept ?? ''}${REDACTED}${end}`) : text;
}

function shapesIn(text: string): readonly Range[] {
  const shapes = [...ENCLOSING, ...KEYS].flatMap(({ pattern, needs = '', end = '' }) =>
    text.includes(needs)
      ? Array.from(text.matchAll(pattern), ({ 0: all, 1: before = '', index }): Range => [
          index + before.length,
          index + all.length - end.length,
        ])
      : [],
  );
  return [...shapes, ...assignedIn(text)];
}

const ENCLOSING: readonly Shape[] = [
  {
    pattern:
      /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    needs: 'PRIVATE KEY-----',
  },
  // scheme://user:password@host, where the password may contain an @
  {
    pattern: /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{1,20}:\/\/)(?!\[redacted\]@)[^\s/"'<>]+@/gi,
    kept: '$1',
    needs: '://',
    end: '@',
  },
  // in a query even short names mark a secret; longer ones are found in any text
  {
    pattern:
      /([?&;](?:key|sig|signature|auth|code|awsaccesskeyid|x-(?:amz|goog)-(?:signature|credential))=)(?!\[redacted\](?:[\s&;"'`#<>]|$))[^\s&;"'`#<>]+/gi,
    kept: '$1',
    needs: '=',
  },
  // only where a token follows, not an ordinary word
  {
    pattern:
      /(?<![\w-])((?:bearer|basic|negotiate|digest) +)(?:(?=[a-z~+/=_.-]*?(?:[\d_~+/=]|\.\w))[\w.~+/=-]{6,}|[\w.~+/=-]{20,})/gi,
    kept: '$1',
  },
];

const PREFIXES = [
  'sk-', // OpenAI, Anthropic, OpenRouter, DeepSeek and most hosts that imitate them
  'sk_[0-9a-f]{16}',
  'fk-',
  'gsk_',
  'csk-',
  'nvapi-',
  'tgp_v1_',
  'bedrock-api-key-',
  'ABSK',
  'AIza',
  'ya29\\.',
  'GOCSPX-',
  'gh[pousr]_',
  'github_pat_',
  'glpat-',
  'xox[abeoprs]-',
  '[srp]k_(?:live|test)_',
  'whsec_',
  'lsv2_',
  'tvly-',
].join('|');

/** Names of models, functions and settings begin with these too; a key is one long word. */
const WORD_PREFIXES = ['xai-', 'pplx-', 'hf_', 'r8_', 'fw_', 'npm_', 'jina_', 'dapi', 'AQ\\.'].join(
  '|',
);

const KEYS: readonly Shape[] = [
  { pattern: new RegExp(`(?<![A-Za-z0-9])(?:${PREFIXES})[\\w*./+=-]{8,}`, 'g') },
  { pattern: new RegExp(`(?<![A-Za-z0-9])(?:${WORD_PREFIXES})[A-Za-z0-9]{20}[\\w.-]*`, 'g') },
  { pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}/g },
  { pattern: /(?<![\w-])eyJ[\w-]{8,}(?:\.[\w-]*){1,4}/g, needs: 'eyJ' },
];
