/** Secrets of every shape, generated anew for each test; none may ever leave. */
import fc from 'fast-check';

/** A text, and the part of it that must never be shown. */
export interface Planted {
  readonly written: string;
  readonly secret: string;
  /** The value that the redactor knows; without it the shape alone must be enough. */
  readonly configured?: string;
}

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const random = (length: number, letters = ALPHANUMERIC): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...letters.split('')), { minLength: length, maxLength: length })
    .map((parts) => parts.join(''));

const URL_SAFE = `${ALPHANUMERIC}-_`;

const shaped = (
  build: (body: string) => string,
  body: fc.Arbitrary<string>,
): fc.Arbitrary<Planted> => body.map((secret) => ({ written: build(secret), secret }));

const KEYS: Readonly<Record<string, fc.Arbitrary<Planted>>> = {
  'an OpenAI key': shaped((body) => `sk-proj-${body}`, random(48)),
  'an old OpenAI key': shaped((body) => `sk-${body}`, random(48)),
  'an Anthropic key': shaped((body) => `sk-ant-api03-${body}-AA`, random(60, URL_SAFE)),
  'a Google key': shaped((body) => `AIza${body}`, random(35, URL_SAFE)),
  'an AWS key id': shaped((body) => `AKIA${body}`, random(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')),
  'an AWS secret key': shaped(
    (body) => `aws_secret_access_key = ${body}`,
    random(40, `${ALPHANUMERIC}+/`),
  ),
  'a Groq key': shaped((body) => `gsk_${body}`, random(52)),
  'an xAI key': shaped((body) => `xai-${body}`, random(80)),
  'a Hugging Face token': shaped((body) => `hf_${body}`, random(34)),
  'a GitHub token': shaped((body) => `ghp_${body}`, random(36)),
  'a fine-grained GitHub token': shaped(
    (body) => `github_pat_${body}`,
    random(82, `${ALPHANUMERIC}_`),
  ),
  'a JWT': fc
    .tuple(random(20, URL_SAFE), random(60, URL_SAFE), random(43, URL_SAFE))
    .map(([head, body, signature]) => ({
      written: `eyJ${head}.eyJ${body}.${signature}`,
      secret: signature,
    })),
  'a private key': random(1200, `${ALPHANUMERIC}+/`).map((body) => ({
    written: `-----BEGIN RSA PRIVATE KEY-----\n${body.match(/.{1,64}/g)?.join('\n')}\n-----END RSA PRIVATE KEY-----`,
    secret: body.slice(400, 440),
  })),
};

const HEADERS: Readonly<Record<string, fc.Arbitrary<Planted>>> = {
  'a bearer header': shaped((body) => `Authorization: Bearer ${body}`, random(12)),
  'a bearer token alone': shaped((body) => `Bearer ${body}`, random(24)),
  'a basic header': shaped((body) => `authorization: Basic ${body}==`, random(22)),
  'a key header': shaped((body) => `x-api-key: ${body}`, random(20)),
  'a cookie': shaped((body) => `Cookie: theme=dark; session=${body}; lang=en`, random(24)),
  'a setting': shaped((body) => `MISTRAL_API_KEY=${body}`, random(32)),
  'a password in JSON': shaped((body) => `{"user":"x","password":"${body} and more"}`, random(10)),
  'a password in escaped JSON': shaped((body) => `{\\"password\\":\\"${body}\\"}`, random(10)),
};

const ADDRESSES: Readonly<Record<string, fc.Arbitrary<Planted>>> = {
  'credentials in an address': shaped(
    (body) => `postgres://app:${body}@db.internal:5432/x`,
    random(16),
  ),
  'an @ in such credentials': shaped((body) => `https://app:p@${body}@host/path`, random(16)),
  'a key in a query': shaped(
    (body) => `https://host/v1?alt=sse&key=${body}&x=1`,
    random(39, URL_SAFE),
  ),
  'a signature in a query': shaped((body) => `https://host/a?X-Amz-Signature=${body}`, random(64)),
  'a token in a query': shaped((body) => `https://host/a?access_token=${body}#top`, random(30)),
};

const awkward = fc
  .tuple(random(8), fc.constantFrom('"', '\\', ' ', '/', '+', '%', '\n', 'é', '&'), random(8))
  .map((parts) => parts.join(''));
const plain = random(20);

/** Signs that a shell or a language escapes. */
const SIGNS = ` '"$&;<>()[]{}!#*?\`|^,\\`.split('');
const quoted = fc
  .tuple(random(6), fc.shuffledSubarray(SIGNS, { minLength: 3 }), random(6))
  .map(([before, signs, after]) => `${before}'${signs.join('')}'${after}`);

const configured = (
  write: (value: string) => string,
  value: fc.Arbitrary<string>,
): fc.Arbitrary<Planted> =>
  value.map((secret) => ({
    written: `got ${write(secret)} here`,
    secret: write(secret),
    configured: secret,
  }));

const base64 = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCodePoint(byte)).join(''));
const hex = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** As Python and others write JSON. */
const inAscii = (json: string): string =>
  json.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

const CONFIGURED: Readonly<Record<string, fc.Arbitrary<Planted>>> = {
  'a configured value': configured((value) => value, plain),
  'an awkward configured value': configured((value) => value, awkward),
  'a configured value in small letters': configured((value) => value.toLowerCase(), random(24)),
  'a configured value in capitals': configured((value) => value.toUpperCase(), random(24)),
  'a configured value in an address': configured(encodeURIComponent, awkward),
  'the same in lower case': configured(
    (value) => encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
    awkward,
  ),
  'a configured value in JSON': configured((value) => JSON.stringify(value).slice(1, -1), awkward),
  'a configured value as a trace of a shell quotes it': configured(
    (value) => value.replaceAll("'", String.raw`'\''`),
    quoted,
  ),
  'a configured value as Python quotes it for a shell': configured(
    (value) => value.replaceAll("'", `'"'"'`),
    quoted,
  ),
  'a configured value that a shell escapes': configured(
    (value) => value.replace(/[ !"$&'()*,;<>?[\\\]^`{|}]/g, String.raw`\$&`),
    quoted,
  ),
  'a configured value as Python shows it': configured(
    (value) => value.replace(/['\\]/g, String.raw`\$&`),
    quoted,
  ),
  'a configured value between double quotes of a shell': configured(
    (value) => value.replace(/["$`\\]/g, String.raw`\$&`),
    quoted,
  ),
  'a configured value in YAML or SQL': configured((value) => value.replaceAll("'", "''"), quoted),
  'a configured value in a table of CSV': configured(
    (value) => value.replaceAll('"', '""'),
    quoted,
  ),
  'a configured value in base64': configured((value) => base64(value), awkward),
  'a configured value in base64 behind one byte': configured((value) => base64(`x${value}`), plain),
  'a configured value in base64 behind two': configured((value) => base64(`xy${value}`), plain),
  'a configured value in base64 within more': configured(
    (value) => base64(`user:${value}:and more`),
    awkward,
  ),
  'a configured value in the base64 of addresses': configured(
    (value) => base64(`?>${value}`).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
    awkward,
  ),
  'a configured value in base64 of several lines': random(100).map((secret) => ({
    written: base64(`key: ${secret}`).replace(/.{76}/g, '$&\n'),
    secret: base64(`key: ${secret}`).slice(80, 140),
    configured: secret,
  })),
  'a configured value in the base64 of JSON': configured(
    (value) => base64(JSON.stringify({ user: 'ada', password: value })),
    awkward,
  ),
  'a configured value in the base64 of JSON in ASCII': configured(
    (value) => base64(inAscii(JSON.stringify({ password: value }))),
    awkward,
  ),
  'a configured value in the base64 of a form': configured(
    (value) => base64(`password=${encodeURIComponent(value)}&user=ada`),
    awkward,
  ),
  'a configured value in a Docker configuration, as Kubernetes keeps it': configured(
    (value) => base64(JSON.stringify({ auths: { 'r.io': { auth: base64(`ada:${value}`) } } })),
    awkward,
  ),
  'a configured value in base64 twice': configured((value) => base64(base64(value)), plain),
  'a configured value in the hex of JSON': configured(
    (value) => hex(JSON.stringify({ password: value })),
    awkward,
  ),
  'a configured value in an address within an address': configured(
    (value) => encodeURIComponent(`https://host/login?next=${encodeURIComponent(value)}`),
    awkward,
  ),
  'a configured value in hex': configured((value) => hex(value), awkward),
  'a configured value in capital hex': configured((value) => hex(value).toUpperCase(), awkward),
  'a configured value of many lines': configured(
    (value) => value,
    random(3000).map((body) => body.match(/.{1,60}/g)?.join('\n') ?? ''),
  ),
};

export const SECRETS: Readonly<Record<string, fc.Arbitrary<Planted>>> = {
  ...KEYS,
  ...HEADERS,
  ...ADDRESSES,
  ...CONFIGURED,
};
