/**
 * Ten thousand hostile failures, and as many texts to remove secrets from. None of the failures may
 * take more than 5 ms to extract, classify (twice) and report. Each sort and size runs once
 * beforehand, so that the measured code is compiled. A case above half the limit is measured three
 * more times on the same input, and the best time counts: other programs and garbage collection
 * only ever add.
 */
import { createRedactor } from '../src/errors/redaction/redact.ts';
import { classify } from '../src/providers/classify/classify.ts';
import { families } from '../src/providers/classify/phrases.ts';
import { extractFailure } from '../src/providers/extract/extract.ts';
import { reportFrom } from '../src/providers/report-from.ts';
import { seeded } from '../src/workflow/yaml/mutate.cases.ts';
import { elapsedMs, quickest, type Bench, type Measurement } from './measure.ts';

const COUNT = 10_000;
const LIMIT_MS = 5;
const SIZES = [16, 300, 2000, 4096, 8192, 16_384, 65_536, 70_000];

export const bench: Bench = {
  name: `hostile: the slowest of ${COUNT} failures, and of as many texts; warm, best of 3 if slow`,
  run: () => [
    ...slowestOf('failure', (text, random) => toFailure(text, random), handle),
    ...slowestOf(
      'redaction',
      (text) => text,
      (text) => createRedactor().text(text),
    ),
    ...slowestOf(
      'redaction with keys',
      (text) => text,
      (text) => WITH_KEYS.text(text),
    ),
  ],
};

const WITH_KEYS = createRedactor(['a-configured-key', 'aaaa', '{{{{', 'x'.repeat(2000)]);

function handle(thrown: object): void {
  const failure = extractFailure(thrown);
  if (failure !== undefined) classify(failure);
  reportFrom(thrown);
}

/** One row for each sort of text: the worst of its share. */
function slowestOf<T>(
  what: string,
  make: (text: string, random: () => number) => T,
  work: (input: T) => unknown,
): Measurement[] {
  const random = seeded(7);
  const sorts = Object.entries(TEXTS);
  const worst = new Map<string, number>();
  // warm, as in a process that has run for a while
  for (const [, write] of sorts) for (const size of SIZES) work(make(write(size, random), random));
  for (let index = 0; index < COUNT; index++) {
    const [name, write] = sorts[index % sorts.length] ?? ['', padded];
    const size = SIZES[Math.floor(random() * SIZES.length)] ?? 300;
    const input = make(write(size, random), random);
    const once = elapsedMs(() => work(input));
    const ms = once < LIMIT_MS / 2 ? once : quickest(3, () => work(input));
    if (ms > (worst.get(name) ?? 0)) worst.set(name, ms);
  }
  return [...worst].map(([name, ms]) => ({ name: `${what}: ${name}`, ms, limitMs: LIMIT_MS }));
}

type Write = (chars: number, random: () => number) => string;

function padded(chars: number): string {
  return 'x'.repeat(chars);
}

function repeated(unit: string, chars: number): string {
  return unit.repeat(Math.ceil(chars / Math.max(1, unit.length))).slice(0, chars);
}

function pick<T>(list: readonly T[], random: () => number): T {
  // the lists here are never empty
  return list[Math.floor(random() * list.length)] as T;
}

const PHRASES: readonly string[] = Object.values(families()).flat(2);

const TEXTS: Readonly<Record<string, Write>> = {
  'one character': (chars, random) =>
    repeated(pick(Array.from('a0 \t\n-_.:;/@=&?%"\'\\{}[]()<>,~+#é\u0000\u2028𝕏'), random), chars),
  'two characters': (chars, random) =>
    repeated(
      pick(['a ', '0.', 'a-', '. ', '1h', 'ab', '\\"', ' \n', '=&', ':/', 'a@', '-a'], random),
      chars,
    ),
  'nested brackets': (chars, random) => {
    const [open, close] = pick(
      [
        ['[', ']'],
        ['{"a":', '}'],
        ['[{"error":', '}]'],
        ['(', ')'],
      ],
      random,
    );
    const depth = Math.floor(chars / (open.length + close.length));
    return open.repeat(depth) + close.repeat(depth);
  },
  'unterminated JSON': (chars, random) =>
    repeated(
      pick(['{"a":', '[', '{"error":{"message":"', '"\\u00', '[{},', '{"a":[1,'], random),
      chars,
    ),
  'JSON in prose': (chars, random) =>
    repeated(
      pick(['error: {"a":1} ', '429 {"error": ', '{ } ', 'x {"message":"y"', '"{\\"a\\":'], random),
      chars,
    ),
  'printed messages': (chars, random) =>
    repeated(
      pick(['violations {\n}\n', 'a {', 'a: "b" ', 'retry_delay { seconds: ', 'x { y: "'], random),
      chars,
    ),
  'printed strings': (chars, random) =>
    repeated(
      pick(['{\\"a\\":', '{\\"a\\":1}', "{'", "{'a': b'", '{ b: {"c":1} } '], random),
      chars,
    ),
  'other scripts': (chars, random) =>
    repeated(pick(['额', '余额不', '上限を', '한도를 ', 'лимит ', '1秒', 'é'], random), chars),
  'JSON in JSON': (chars) => {
    let text = '"x"';
    while (text.length < chars) text = JSON.stringify({ error: { message: text } });
    return text;
  },
  'phrases cut short': (chars, random) => {
    const phrase = pick(PHRASES, random);
    return repeated(phrase.slice(0, Math.max(1, phrase.length - 1)), chars);
  },
  'beginnings of every phrase': (chars, random) => {
    const length = 1 + Math.floor(random() * 20);
    return repeated(PHRASES.map((phrase) => phrase.slice(0, length)).join(' '), chars);
  },
  'every phrase': (chars) => repeated(PHRASES.join(' '), chars),
  'huge numbers': (chars, random) =>
    pick(['{"retry_after":', 'try again in ', 'limit ', '{"code":', 'retry in -'], random) +
    repeated(pick(['9', '1e9', '0.0', '9,', '1 '], random), chars),
  durations: (chars, random) =>
    repeated(
      pick(['try again in ', '1h1m', '6m0s', 'retry after ', '20ms ', 'in 1 '], random),
      chars,
    ),
  'an event stream': (chars, random) =>
    repeated(
      pick(['data: {"a":1}\n\n', 'data:\n', 'event: error\n', 'data: [\n\n', ':\n'], random),
      chars,
    ),
  'a page': (chars, random) =>
    `<html>${repeated(pick(['<title', '<title>', '<h1 ', '<', '<!--', '&nbsp;'], random), chars)}`,
  'almost secrets': (chars, random) =>
    repeated(
      pick(
        [
          'bearer ',
          'Bearer a',
          'sk-',
          'sk-a',
          'eyJ',
          'eyJaaaaaaaa.',
          'https://',
          'https://a:b',
          '-----BEGIN ',
          '-----BEGIN PRIVATE KEY-----',
          'api_key=',
          'password: ',
          '"token":"',
          '?key=a&',
          'basic aaaaaa-',
          'a.a.a.',
          'AKIA',
        ],
        random,
      ),
      chars,
    ),
  'random text': (chars, random) =>
    Array.from({ length: chars }, () => String.fromCharCode(32 + Math.floor(random() * 95))).join(
      '',
    ),
};

/** The text as a body, a message, a header, a fault, or inside a parsed value. */
function toFailure(text: string, random: () => number): object {
  const base = {
    provider: pick(['openai', 'google', 'bedrock', undefined], random),
    transport: null,
  };
  switch (Math.floor(random() * 8)) {
    case 0:
      return { ...base, status: 429, headers: headersOf(text), body: {} };
    case 1:
      return { ...base, status: 400, body: { error: { message: text, code: text, type: text } } };
    case 2:
      return {
        ...base,
        transport: {
          name: 'Error',
          message: text,
          code: text.slice(0, 99),
          cause: { message: text },
        },
      };
    case 3:
      return { ...base, status: 500, body: deep(text) };
    case 4:
      return { ...base, status: 200, stream: 'mid-stream', body: text };
    case 5:
      return Object.assign(new Error(text), {
        status: 429,
        error: { message: text },
        cause: new Error(text),
      });
    default:
      return { ...base, status: pick([400, 429, 500, 503], random), headers: {}, body: text };
  }
}

function headersOf(text: string): Record<string, string> {
  return {
    'retry-after': text,
    'x-ratelimit-reset-tokens': text,
    'anthropic-ratelimit-requests-reset': text,
    'content-type': text,
    date: text,
    'x-amzn-errortype': text,
  };
}

function deep(text: string): unknown {
  let value: unknown = text;
  for (let level = 0; level < 2000; level++)
    value = level % 2 === 0 ? { error: value } : [value, text];
  return value;
}
