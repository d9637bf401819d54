/**
 * The one place where secrets are taken out, before anything is stored. Two nets: the values of
 * configured keys, however they are spelled, and the shapes that keys, headers, credentials and tokens have. Taking out
 * twice is the same as once. Every pattern starts at a boundary and never looks at a character
 * again for another start, so that a hostile text costs linear time.
 */
import { ELLIPSIS, REDACTED } from './bounded-text.ts';
import { takenOutDecoded, type Finders, type Range } from './decodings.ts';
import { isSecretName, redactAssignments } from './secret-names.ts';
import { partsOf } from './secret-parts.ts';
import { encodingsOf, spellingsOf } from './spellings.ts';

/** Shorter configured values are words, not secrets; taking them out would only spoil the text. */
const MIN_VALUE_CHARS = 4;

export interface Redactor {
  /** For reports and `stderr`: configured values and secret shapes. */
  readonly text: (text: string, key?: string) => string;
  /** For inputs and outputs, which must stay what ran: configured values only. */
  readonly values: (text: string) => string;
  /** A secret that came to be known only now, such as a key that was just made. */
  readonly learn?: (value: string) => void;
}

export function createRedactor(configuredValues: readonly string[] = []): Redactor {
  const plain = new Needles();
  const encoded = new Needles();
  const learn = (secrets: readonly string[]): void => {
    const telling = secrets.filter((secret) => !isTrivial(secret));
    plain.add(telling.flatMap(spellingsOf));
    plain.add(telling.flatMap(partsOf).filter((part) => !isTrivial(part)));
    encoded.add(telling.flatMap(encodingsOf));
  };
  learn(configuredValues);
  const finders: Finders = {
    inText: (meant) => [...plain.rangesIn(meant), ...encoded.rangesIn(meant)],
    inHex: (hex) => encoded.rangesIn(hex),
  };
  const values = (text: string): string => {
    if (text.length < MIN_VALUE_CHARS || plain.isEmpty) return text;
    const rest = takenOutDecoded(encoded.takenOut(plain.takenOut(text)), finders, REDACTED);
    return encoded.takenOutAcrossGaps(rest);
  };

  return {
    values,
    learn: (value) => learn([value]),
    text: (text, key) => {
      if (key !== undefined && text !== '' && isSecretName(key)) return REDACTED;
      const rest = values(text);
      // the mark of a cut is no part of what was cut
      return rest.endsWith(ELLIPSIS)
        ? untilStable(rest.slice(0, -1)) + ELLIPSIS
        : untilStable(rest);
    },
  };
}

/**
 * Values that are configured as keys and are no secrets: people set such words where a key is asked for
 * and none is needed, and taking them out would shred every output that has the word.
 */
const WORDS: ReadonlySet<string> = new Set(
  `true false null none undefined default empty test testing tests dummy fake fakekey example sample
   placeholder anything unused local localhost debug info warn warning error trace verbose production
   development staging prod admin root user guest postgres postgresql errand sqlite memory password
   secret changeme token apikey api_key api-key bearer basic utf-8 json text/plain text/html
   application/json application/xml`.split(/\s+/),
);

/** Whether a value says too little to be a secret: a word that stands anywhere, a small number, a flag. */
export function isTrivial(value: string): boolean {
  const word = value.trim().toLowerCase();
  return word.length < MIN_VALUE_CHARS || WORDS.has(word) || /^[-+]?[\d.,]{1,6}$/.test(word);
}

/** Texts that are looked for, the longest first. */
class Needles {
  readonly #known = new Set<string>();
  #sorted: readonly string[] = [];

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
  }

  takenOut(text: string): string {
    let rest = text;
    for (const needle of this.#sorted)
      // most texts have none, and looking is much quicker than replacing
      if (rest.includes(needle)) rest = rest.replaceAll(needle, REDACTED);
    return rest;
  }

  rangesIn(text: string): readonly Range[] {
    return this.#sorted.flatMap((needle) => {
      const found: Range[] = [];
      for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length))
        found.push([at, at + needle.length]);
      return found;
    });
  }

  /** `base64` breaks its lines, `xxd` writes spaces, and what is shown on one line has other ones. */
  takenOutAcrossGaps(text: string): string {
    const shortest = this.#sorted.at(-1)?.length ?? Infinity;
    if (text.length <= shortest || !GAP.test(text)) return text;
    const joined = text.replace(GAPS, '');
    const found = this.#sorted.filter((needle) => joined.includes(needle));
    if (found.length === 0) return text;
    const pattern = found.map((needle) => needle.split('').join('[\\s:]*')).join('|');
    // letters, digits, + and / only
    return text.replace(new RegExp(pattern.replaceAll('+', '\\+'), 'g'), REDACTED);
  }
}

/** Fingerprints have colons between their bytes. */
const GAP = /[\s:]/;
const GAPS = /[\s:]+/g;

/** What stands beside a mark can be seen as a secret only once the mark is there. */
const MAX_PASSES = 8;

function untilStable(text: string): string {
  let before = text;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const after = redactShapes(before);
    if (after === before) break;
    before = after;
  }
  return before;
}

function redactShapes(text: string): string {
  if (text.length < MIN_VALUE_CHARS) return text;
  return KEYS.reduce(replaceShape, redactAssignments(ENCLOSING.reduce(replaceShape, text)));
}

/** `needs` is in every match, and looking for it first is quicker than the pattern. */
type Shape = readonly [pattern: RegExp, replacement: string, needs?: string];

function replaceShape(text: string, [pattern, replacement, needs = '']: Shape): string {
  return text.includes(needs) ? text.replace(pattern, replacement) : text;
}

const ENCLOSING: readonly Shape[] = [
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    REDACTED,
    'PRIVATE KEY-----',
  ],
  // scheme://user:password@host, where the password may hold an @ of its own
  [
    /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{1,20}:\/\/)(?!\[redacted\]@)[^\s/"'<>]+@/gi,
    `$1${REDACTED}@`,
    '://',
  ],
  // in a query even short names are telling; longer ones are found in any text
  [
    /([?&;](?:key|sig|signature|auth|code|awsaccesskeyid|x-(?:amz|goog)-(?:signature|credential))=)(?!\[redacted\](?:[\s&;"'`#<>]|$))[^\s&;"'`#<>]+/gi,
    `$1${REDACTED}`,
    '=',
  ],
  // where what follows looks like a token and not like the next word
  [
    /(?<![\w-])(bearer|basic|negotiate|digest) +(?:(?=[a-z~+/=_.-]*?(?:[\d_~+/=]|\.\w))[\w.~+/=-]{6,}|[\w.~+/=-]{20,})/gi,
    `$1 ${REDACTED}`,
  ],
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

/** These also begin the names of models, functions and settings; a key is one long word. */
const WORD_PREFIXES = ['xai-', 'pplx-', 'hf_', 'r8_', 'fw_', 'npm_', 'jina_', 'dapi', 'AQ\\.'].join(
  '|',
);

const KEYS: readonly Shape[] = [
  [new RegExp(`(?<![A-Za-z0-9])(?:${PREFIXES})[\\w*./+=-]{8,}`, 'g'), REDACTED],
  [new RegExp(`(?<![A-Za-z0-9])(?:${WORD_PREFIXES})[A-Za-z0-9]{20}[\\w.-]*`, 'g'), REDACTED],
  [/(?<![A-Za-z0-9])(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}/g, REDACTED],
  [/(?<![\w-])eyJ[\w-]{8,}(?:\.[\w-]*){1,4}/g, REDACTED, 'eyJ'],
];
