/**
 * At most 10 µs to say what a failure is, warm, over the corpus. Bodies are read up to 64 KiB: one of
 * that size may cost twenty times a small one, and one of 10 MB about what one of 64 KiB does.
 */
import { classify } from '../src/providers/classify/classify.ts';
import { extractFailure } from '../src/providers/extract/extract.ts';
import { ENTRIES } from '../test/corpus/entries.ts';
import { elapsedMs, median, type Bench, type Measurement } from './measure.ts';

const LIMIT_MS = 0.01;
/** Of a body that is read to its end, against a small one. */
const LONG_FACTOR = 20;
/** Of a body that is 160 times longer than what is read of it. */
const HUGE_FACTOR = 1.5;
/** Below it a factor of two is noise of the machine. */
const FLOOR_MS = 0.02;

const BATCHES = 15;
const ROUNDS = 40;

export const bench: Bench = {
  name: 'classify: what one failure costs',
  run: () => [
    ...overCorpus(),
    ...Object.entries(FORMS).flatMap(([name, make]) => byLength(name, make)),
  ],
};

function overCorpus(): Measurement[] {
  const failures = ENTRIES.flatMap((entry) => extractFailure(entry) ?? []);
  return [
    {
      name: `classify, ${failures.length} of the corpus`,
      ms: perItem(failures, (failure) => classify(failure)),
      limitMs: LIMIT_MS,
    },
    { name: 'extract and classify', ms: perItem(ENTRIES, both) },
  ];
}

type Make = (chars: number) => string;

const SENTENCE = 'Rate limit reached for gpt-6-mini on tokens per min. Please try again in 2s. ';

function padded(chars: number): string {
  return SENTENCE.repeat(Math.ceil(chars / SENTENCE.length)).slice(0, chars);
}

const FORMS: Readonly<Record<string, Make>> = {
  'a text': padded,
  'one long message': (chars) =>
    JSON.stringify({ error: { code: 'rate_limit_exceeded', message: padded(chars - 64) } }),
  'many fields': (chars) => {
    const field = '"field":{"type":"tokens","limit":30000},';
    const many = field.repeat(Math.max(1, Math.floor((chars - 64) / field.length)));
    return `{"error":{${many}"code":"rate_limit_exceeded"}}`;
  },
  'a page': (chars) => `<!doctype html><title>502 Bad Gateway</title>${padded(chars - 48)}`,
  'an event stream': (chars) =>
    'data: {"type":"delta","text":"hello"}\n\n'.repeat(Math.ceil(chars / 40)),
};

const SMALL = 256;
const LONG = 64 * 1024 - 128;
const HUGE = 10 * 1024 * 1024;

function byLength(name: string, make: Make): Measurement[] {
  const [small = 0, long = 0, huge = 0] = [SMALL, LONG, HUGE].map((chars) => {
    const entry = {
      provider: 'openai',
      status: 429,
      headers: {},
      transport: null,
      body: make(chars),
    };
    return perItem(
      Array.from({ length: 5 }, () => entry),
      both,
    );
  });
  return [
    { name: `${name} of 256 bytes`, ms: small },
    { name: `${name} of 64 KiB`, ms: long, limitMs: Math.max(small, FLOOR_MS) * LONG_FACTOR },
    { name: `${name} of 10 MB`, ms: huge, limitMs: Math.max(long, FLOOR_MS) * HUGE_FACTOR },
  ];
}

function both(thrown: unknown): void {
  const failure = extractFailure(thrown);
  if (failure !== undefined) classify(failure);
}

/** Warm: the first batches are run and thrown away. */
function perItem<T>(items: readonly T[], work: (item: T) => unknown): number {
  const batch = (): number =>
    elapsedMs(() => {
      for (let round = 0; round < ROUNDS; round++) for (const item of items) work(item);
    });
  for (let count = 0; count < 3; count++) batch();
  return median(Array.from({ length: BATCHES }, batch)) / ROUNDS / items.length;
}
