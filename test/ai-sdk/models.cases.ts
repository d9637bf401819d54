/** Models that say what a test wants, with the interface of the AI SDK, and a clock that only tests move. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart as Part,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { ResilienceClock } from '../../src/machine-clock.ts';

const USAGE: LanguageModelV4Usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 4, text: 4, reasoning: 0 },
};

export const FINISH: Part = {
  type: 'finish',
  usage: USAGE,
  finishReason: { unified: 'stop', raw: 'stop' },
};

/** One turn of a model: an answer, a thrown failure, or the parts of a stream. */
export type Turn =
  | {
      readonly text: string;
      readonly finish?: LanguageModelV4GenerateResult['finishReason'];
      readonly usage?: LanguageModelV4Usage;
    }
  /** Only where it is asked for as a whole. */
  | { readonly calls: string }
  | { readonly thrown: unknown }
  /** `stays`: nothing comes after the parts, and no end. */
  | { readonly parts: readonly Part[]; readonly breaks?: unknown; readonly stays?: true }
  | { readonly hangs: true };

export interface ScriptedModel extends LanguageModelV4 {
  readonly calls: LanguageModelV4CallOptions[];
}

/** The n-th call gets the n-th turn; the last one repeats. */
export function scripted(
  provider: string,
  modelId: string,
  ...turns: readonly Turn[]
): ScriptedModel {
  const calls: LanguageModelV4CallOptions[] = [];
  const next = (options: LanguageModelV4CallOptions): Turn => {
    const turn = turns[Math.min(calls.length, turns.length - 1)];
    calls.push(options);
    if (turn === undefined) throw new Error('the model has no turn');
    return turn;
  };
  return {
    specificationVersion: 'v4',
    provider,
    modelId,
    supportedUrls: {},
    calls,
    async doGenerate(options) {
      const turn = next(options);
      if ('hangs' in turn) return untilAborted(options.abortSignal);
      if ('thrown' in turn) throw turn.thrown;
      if ('calls' in turn) return callOf(turn.calls);
      const text = 'text' in turn ? turn.text : '';
      const finishReason = ('finish' in turn && turn.finish) || { unified: 'stop', raw: 'stop' };
      const usage = ('usage' in turn && turn.usage) || USAGE;
      return { content: [{ type: 'text', text }], finishReason, usage, warnings: [] };
    },
    async doStream(options) {
      const turn = next(options);
      if ('hangs' in turn) return untilAborted(options.abortSignal);
      if ('thrown' in turn) throw turn.thrown;
      if ('calls' in turn) throw new Error('a stream has parts');
      const parts = 'parts' in turn ? turn.parts : textParts(turn.text);
      return { stream: streamOf(parts, 'parts' in turn ? turn : {}) };
    },
  };
}

function callOf(toolName: string): LanguageModelV4GenerateResult {
  return {
    content: [{ type: 'tool-call', toolCallId: 'c1', toolName, input: '{}' }],
    finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
    usage: USAGE,
    warnings: [],
  };
}

/** A whole text, ended in good order. */
export function textParts(...deltas: readonly string[]): readonly Part[] {
  return [...begunText(...deltas), { type: 'text-end', id: '1' }, FINISH];
}

/** A text without its end. */
export function begunText(...deltas: readonly string[]): readonly Part[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '1' },
    ...deltas.map((delta) => ({ type: 'text-delta', id: '1', delta }) as const),
  ];
}

function streamOf(
  parts: readonly Part[],
  { breaks, stays }: { readonly breaks?: unknown; readonly stays?: true },
): ReadableStream<Part> {
  const left = [...parts];
  return new ReadableStream<Part>({
    pull(controller): Promise<void> | undefined {
      const part = left.shift();
      if (part !== undefined) controller.enqueue(part);
      else if (stays === true) return new Promise(() => undefined);
      else if (breaks === undefined) controller.close();
      else controller.error(breaks);
      return undefined;
    },
  });
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** A failure as a provider's package of the AI SDK throws it. */
export function apiError(status: number, body: object = {}, headers: Record<string, string> = {}) {
  return Object.assign(new Error(`HTTP ${status}`), {
    name: 'AI_APICallError',
    [Symbol.for('vercel.ai.error')]: true,
    [Symbol.for('vercel.ai.error.AI_APICallError')]: true,
    url: 'http://127.0.0.1/v1/chat',
    statusCode: status,
    responseHeaders: headers,
    responseBody: JSON.stringify(body),
    data: body,
    isRetryable: status === 429 || status >= 500,
  });
}

export const overloaded = (): unknown =>
  apiError(529, { error: { type: 'overloaded_error', message: 'Overloaded' } });
export const limited = (seconds: number): unknown =>
  apiError(429, { error: { message: 'Rate limit reached' } }, { 'retry-after': String(seconds) });
export const quota = (): unknown =>
  apiError(429, {
    error: { code: 'insufficient_quota', message: 'You exceeded your current quota' },
  });
export const refusedKey = (): unknown =>
  apiError(401, { error: { code: 'invalid_api_key', message: 'Incorrect API key' } });

/** Time that stands still: nobody wakes. */
export const FROZEN: ResilienceClock = {
  now: () => 1_800_000_000_000,
  sleep: () => new Promise<void>(() => undefined),
};

/** Time that passes only by being slept through, in order. */
export function virtualClock(): ResilienceClock & { readonly slept: number[] } {
  let now = 1_800_000_000_000;
  const slept: number[] = [];
  const waiting: { readonly atMs: number; readonly wake: () => void }[] = [];
  let isTicking = false;
  const tick = (): void => {
    isTicking = false;
    waiting.sort((a, b) => a.atMs - b.atMs);
    const next = waiting.shift();
    if (next === undefined) return;
    now = Math.max(now, next.atMs);
    next.wake();
    arm();
  };
  // a macrotask, so that everything that is under way without time gets its turn first
  const arm = (): void => {
    if (isTicking || waiting.length === 0) return;
    isTicking = true;
    setImmediate(() => setImmediate(() => setImmediate(tick)));
  };
  return {
    slept,
    now: () => now,
    sleep: (ms, signal) =>
      new Promise<void>((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        const entry = {
          atMs: now + ms,
          wake: () => {
            slept.push(ms);
            resolve();
          },
        };
        waiting.push(entry);
        signal.addEventListener('abort', () => {
          waiting.splice(waiting.indexOf(entry) >>> 0, 1);
          reject(signal.reason as Error);
        });
        arm();
      }),
  };
}
