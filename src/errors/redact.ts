/**
 * The one place where secrets are taken out, before anything is stored. Two nets: the exact values
 * of configured keys, and the shapes that keys, headers, credentials and tokens have. Every pattern
 * is bounded and starts at a boundary, so that a hostile text costs linear time.
 */
import type { TextFilter } from './json.ts';

export const REDACTED = '[redacted]';

/** Shorter configured values are words, not secrets; taking them out would only spoil the text. */
const MIN_VALUE_CHARS = 4;

export interface Redactor {
  /** For reports and `stderr`: configured values and secret shapes. */
  readonly text: TextFilter;
  /** For inputs and outputs, which must stay what ran: configured values only. */
  readonly values: (text: string) => string;
}

export function createRedactor(configuredValues: readonly string[] = []): Redactor {
  const needles = [...new Set(configuredValues.flatMap(spellings))].sort(
    (a, b) => b.length - a.length,
  );
  const values = (text: string): string =>
    needles.reduce((rest, needle) => rest.replaceAll(needle, REDACTED), text);

  return {
    values,
    text: (text, key) =>
      key !== undefined && isSecretName(key) ? REDACTED : redactShapes(values(text)),
  };
}

/** True for field and header names whose value is a secret whatever it looks like. */
export function isSecretName(name: string): boolean {
  return name.length <= 40 && SECRET_NAMES.has(name.toLowerCase().replace(/[-_ ]/g, ''));
}

function spellings(value: string): string[] {
  if (value.length < MIN_VALUE_CHARS) return [];
  return [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)];
}

function redactShapes(text: string): string {
  return SHAPES.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
}

const SECRET_NAMES: ReadonlySet<string> = new Set(
  `authorization proxyauthorization apikey xapikey xgoogapikey xauthtoken accesskey accesskeyid
   secretaccesskey accesstoken refreshtoken idtoken authtoken bearertoken sessiontoken
   xamzsecuritytoken token secret clientsecret password passwd privatekey credentials cookie
   setcookie openaiapikey anthropicapikey googleapikey geminiapikey mistralapikey`.split(/\s+/),
);

const KEY_PREFIXES = [
  'sk-', // OpenAI, Anthropic, OpenRouter, DeepSeek and most hosts that imitate them
  'fk-',
  'gsk_',
  'xai-',
  'pplx-',
  'hf_',
  'r8_',
  'fw_',
  'tgp_',
  'nvapi-',
  'ABSK',
  'AIza',
  'ya29\\.',
  'gh[pousr]_',
  'github_pat_',
  'glpat-',
  'npm_',
  'xox[abeoprs]-',
  '[srp]k_(?:live|test)_',
  'whsec_',
].join('|');

const ASSIGNED_NAMES = [
  'proxy-authorization',
  'authorization',
  'set-cookie',
  'cookie',
  '(?:x-)?(?:goog-)?api[-_ ]?key',
  '(?:aws[-_])?secret[-_]access[-_]key',
  '(?:access|refresh|id|auth|session|security|bearer)[-_]?token',
  'client[-_]?secret',
  'private[-_]?key',
  'password',
  'passwd',
  'secret',
  'token',
].join('|');

const QUERY_NAMES = [
  'key',
  'api[-_]?key',
  '(?:access|refresh|id|auth|session)[-_]?token',
  'token',
  'sig',
  'signature',
  'secret',
  'client_secret',
  'password',
  'auth',
  'code',
  'x-amz-(?:signature|credential|security-token)',
  'x-goog-(?:signature|credential)',
  'awsaccesskeyid',
].join('|');

/** In order: what encloses others first. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,8192}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    REDACTED,
  ],
  // scheme://user:password@host
  [/(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@"'<>]{1,512}@/gi, `$1${REDACTED}@`],
  [new RegExp(`([?&;](?:${QUERY_NAMES})=)[^\\s&"'#<>]{1,2048}`, 'gi'), `$1${REDACTED}`],
  [/(?<![\w-])(bearer|basic|negotiate|digest) +(?=[^\s"']{0,4096}[\d._~+/=-])[\w.~+/=-]{6,4096}/gi, `$1 ${REDACTED}`],
  [/(?<![\w-])(bearer|basic) +[\w.~+/=-]{20,4096}/gi, `$1 ${REDACTED}`],
  // name: value, "name": "value", name=value; a value in brackets was redacted before
  [
    new RegExp(
      `(?<![\\w-])((?:${ASSIGNED_NAMES})["']?\\s{0,4}[:=]\\s{0,4}["']?)(?!\\[redacted\\]|(?:bearer|basic) )[^\\s"',;&<>{}]{1,4096}`,
      'gi',
    ),
    `$1${REDACTED}`,
  ],
  [new RegExp(`(?<![A-Za-z0-9])(?:${KEY_PREFIXES})[\\w*./+=-]{8,2048}`, 'g'), REDACTED],
  [/(?<![A-Za-z0-9])(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,124}/g, REDACTED],
  [/(?<![\w-])eyJ[\w-]{8,4096}\.[\w-]{2,4096}(?:\.[\w-]{0,4096})?/g, REDACTED],
];
