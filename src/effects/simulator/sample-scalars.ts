/** Candidates for strings and numbers: the plainest first, then others, for lists of unique items. */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import { textFor } from './pattern.ts';

/** One for each format that the checker knows. */
const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-01',
  time: '00:00:00Z',
  'date-time': '2026-01-01T00:00:00Z',
  duration: 'PT1S',
  email: 'someone@example.com',
  'idn-email': 'someone@example.com',
  hostname: 'example.com',
  'idn-hostname': 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  'uri-reference': '/',
  iri: 'https://example.com/',
  'iri-reference': '/',
  'uri-template': '/{id}',
  url: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
  'json-pointer': '/a',
  'relative-json-pointer': '0/a',
  regex: 'a',
};

const WORD = 'simulated';

export function* texts(schema: JsonObject): Generator<string> {
  const { pattern, format } = schema;
  const least = lengthOf(schema['minLength'], 0);
  const most = lengthOf(schema['maxLength'], Infinity);
  const text = typeof pattern === 'string' ? textFor(pattern) : undefined;
  if (text !== undefined) {
    yield text;
    yield stretched(text, least);
  }
  if (typeof format === 'string' && Object.hasOwn(FORMATS, format)) yield FORMATS[format] ?? '';
  // an empty string is not useful, so it is the last resort of a short field
  for (let number = 0; ; number++) {
    const text = number === 0 ? WORD : `${WORD}-${number}`;
    yield most < text.length ? short(number, most, least) : stretched(text, least);
  }
}

/** Longer than any useful string; a schema that needs more gets no sample. */
const MAX_CHARS = 100_000;

function lengthOf(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? Math.min(Math.max(0, Math.ceil(value)), MAX_CHARS) : otherwise;
}

function stretched(text: string, least: number): string {
  return text.padEnd(least, text.at(-1) ?? 'a');
}

function short(number: number, most: number, least: number): string {
  const text = number === 0 ? WORD : number.toString(36);
  return stretched(text.slice(0, most), least);
}

/** Enough for a list of unique numbers. */
const MAX_STEPS = 1000;

export function* numbers(schema: JsonObject, type: 'integer' | 'number'): Generator<number> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : 1;
  const low = numbersIn(minimum, exclusiveMinimum)
    .toSorted((a, b) => a - b)
    .at(-1);
  const high = numbersIn(maximum, exclusiveMaximum)
    .toSorted((a, b) => a - b)
    .at(0);
  const start = startOf(low, high, step);
  yield start;
  // no whole step may lie between two close bounds
  if (type === 'number' && low !== undefined && high !== undefined) yield (low + high) / 2;
  for (let index = 1; index < MAX_STEPS; index++) {
    const up = start + index * step;
    if (high === undefined || up <= high) yield up;
    const down = start - index * step;
    if (low !== undefined && down >= low) yield down;
    // an exclusive maximum may leave only numbers below the start
    else if (low === undefined && high !== undefined && up > high) yield down;
  }
}

function startOf(low: number | undefined, high: number | undefined, step: number): number {
  if ((low ?? 0) <= 0 && (high ?? 0) >= 0) return 0;
  if (low !== undefined && low > 0) return Math.ceil(low / step) * step;
  return Math.floor((high ?? 0) / step) * step - (low === undefined ? step : 0);
}

/** Skips `exclusiveMinimum: true`, the form of draft 4. */
function numbersIn(...bounds: readonly (JsonValue | undefined)[]): readonly number[] {
  return bounds.filter((bound) => typeof bound === 'number');
}
