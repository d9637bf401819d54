/**
 * At most 8 µs of CPU to classify a failure, warm, over the corpus, and 30 µs from a thrown SDK
 * error to a report. Servers repeat their sentences, and texts are remembered: a separate row shows
 * the cost of a new sentence. Bodies are read up to 64 KiB: one of 10 MB may cost no more than one
 * of that size, with room for the noise of a machine.
 */
import { classify } from '../src/providers/classify/classify.ts';
import { extractFailure } from '../src/providers/extract/extract.ts';
import { ENTRIES } from '../test/corpus/entries.ts';
import { reportFrom } from '../src/providers/report-from.ts';
import { quickest, type Bench, type Measurement } from './measure.ts';

const LIMIT_MS = 0.008;
const REPORT_LIMIT_MS = 0.03;
/** The cost of a truncated body, against one of 64 KiB of the same form in the same run. */
const LONG_FACTOR = 3;

const BATCHES = 25;
const ROUNDS = 20;

export const bench: Bench = {
  name: 'classify: what one failure costs',
  run: () => [
    ...overCorpus(),
    ...Object.entries(FORMS).flatMap(([name, make]) => byLength(name, make)),
  ],
};

function overCorpus(): Measurement[] {
  const failures = ENTRIES.flatMap((entry) => extractFailure(entry) ?? []);
  const thrown = ENTRIES.flatMap(thrownFrom);
  let count = 0;
  return [
    {
      name: `W9: classify, ${failures.length} of the corpus`,
      ms: perItem(failures, (failure) => classify(failure), cpuOf),
      limitMs: LIMIT_MS,
    },
    {
      name: 'classify, with words that never came before',
      ms: perItem(
        failures,
        (failure) => classify({ ...failure, message: `It was call ${count++}` }),
        cpuOf,
      ),
    },
    {
      name: `W9: reportFrom, ${thrown.length} errors of an SDK`,
      ms: perItem(thrown, (error) => reportFrom(error), cpuOf),
      limitMs: REPORT_LIMIT_MS,
    },
    { name: 'extract and classify', ms: perItem(ENTRIES, both) },
  ];
}

/**
 * The error as the SDKs of OpenAI and Anthropic throw it: with the status and the body in the
 * message too.
 */
function thrownFrom({ status, headers, body }: (typeof ENTRIES)[number]): Error[] {
  if (status === null || status < 400 || typeof body !== 'object' || body === null) return [];
  const fields = Object.entries(headers).filter(([name]) => !name.startsWith(':'));
  const error = 'error' in body ? body.error : body;
  return [
    Object.assign(new Error(`${status} ${JSON.stringify(body)}`), {
      name: 'APIError',
      status,
      error,
      headers: new Headers(fields),
      requestID: 'req_0',
    }),
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
  'white space': (chars) => ' '.repeat(chars),
  'an event stream': (chars) =>
    'data: {"type":"delta","text":"hello"}\n\n'.repeat(Math.ceil(chars / 40)),
};

const SIZES = { small: 256, long: 64 * 1024 - 128, cut: 100_000, huge: 10 * 1024 * 1024 };

function byLength(name: string, make: Make): Measurement[] {
  const cost = (chars: number): number => {
    const body = make(chars);
    const entry = { provider: 'openai', status: 429, headers: {}, transport: null, body };
    return perItem([entry], both);
  };
  const long = cost(SIZES.long);
  const row = (words: string, chars: number): Measurement => ({
    name: `${name} of ${words}`,
    ms: cost(chars),
    limitMs: long * LONG_FACTOR,
    note: 'against 64 KiB',
  });
  return [
    { name: `${name} of 256 bytes`, ms: cost(SIZES.small) },
    { name: `${name} of 64 KiB`, ms: long },
    row('100 KB', SIZES.cut),
    row('10 MB', SIZES.huge),
  ];
}

function both(thrown: unknown): void {
  const failure = extractFailure(thrown);
  if (failure !== undefined) classify(failure);
}

type Measure = (work: () => void) => number;

/** The CPU time of this process alone: other work on the machine does not count. */
const cpuOf: Measure = (work) => {
  let least = Infinity;
  for (let batch = 0; batch < BATCHES; batch++) {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
};

const wallOf: Measure = (work) => quickest(BATCHES, work);

/** Warm: discards the first batches. */
function perItem<T>(
  items: readonly T[],
  work: (item: T) => unknown,
  measure: Measure = wallOf,
): number {
  const batch = (): void => {
    for (let round = 0; round < ROUNDS; round++) for (const item of items) work(item);
  };
  for (let count = 0; count < 5; count++) batch();
  return measure(batch) / ROUNDS / items.length;
}
