/**
 * The one place where secrets are taken out, before anything is stored. Two nets: the exact values
 * of configured keys, and the shapes that keys, headers, credentials and tokens have. Taking out
 * twice is the same as once. Every pattern starts at a boundary and never looks at a character
 * again for another start, so that a hostile text costs linear time.
 */
import { ELLIPSIS, REDACTED } from './bounded-text.ts';
import { printable, singleLine } from './printable.ts';
import { isSecretName, redactAssignments } from './secret-names.ts';

/** Shorter configured values are words, not secrets; taking them out would only spoil the text. */
const MIN_VALUE_CHARS = 4;

/** A longer value is also looked for in pieces: of a text that was cut, only a part may be there. */
const PIECE_CHARS = 512;

export interface Redactor {
  /** For reports and `stderr`: configured values and secret shapes. */
  readonly text: (text: string, key?: string) => string;
  /** For inputs and outputs, which must stay what ran: configured values only. */
  readonly values: (text: string) => string;
  /** A secret that came to be known only now, such as a key that was just made. */
  readonly learn?: (value: string) => void;
}

export function createRedactor(configuredValues: readonly string[] = []): Redactor {
  const known = new Set<string>();
  let needles: readonly string[] = [];
  const learn = (...secrets: readonly string[]): void => {
    for (const needle of secrets.flatMap(spellings))
      if (needle.length >= MIN_VALUE_CHARS && !REDACTED.includes(needle)) known.add(needle);
    needles = [...known].sort((a, b) => b.length - a.length);
  };
  learn(...configuredValues);
  const values = (text: string): string =>
    needles.reduce((rest, needle) => rest.replaceAll(needle, REDACTED), text);

  return {
    values,
    learn: (value) => learn(value),
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

/** How one secret may be written: as it is, in an address, in JSON, on one line, in part. */
function spellings(value: string): string[] {
  if (value.length < MIN_VALUE_CHARS) return [];
  // a lone surrogate cannot be encoded
  const encoded = encodeURIComponent(value.toWellFormed());
  const escaped = JSON.stringify(value).slice(1, -1);
  const lowered = encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const clean = printable(value);
  return [
    value,
    clean,
    singleLine(clean),
    encoded,
    lowered,
    encoded.replaceAll('%20', '+'),
    escaped,
    JSON.stringify(escaped).slice(1, -1),
  ].flatMap((spelling) => [spelling, ...pieces(spelling)]);
}

function pieces(value: string): string[] {
  if (value.length <= PIECE_CHARS) return [];
  const count = Math.floor(value.length / PIECE_CHARS);
  return Array.from({ length: count }, (_, index) =>
    value.slice(index * PIECE_CHARS, (index + 1) * PIECE_CHARS),
  );
}

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
