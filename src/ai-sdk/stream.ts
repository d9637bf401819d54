/**
 * `doStream` of a chain. Parts before the first content are held back, so that an entry that fails
 * before it is replaced unseen. After the first content nothing is replaced: a failure ends the
 * stream, and is reported twice, as an `error` part for `onError` and as the error of the stream
 * for everyone who waits for its text.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart as Part,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import { isPlainObject } from '../errors/support/safe-json.ts';
import { MACHINE_CLOCK } from '../machine-clock.ts';
import { DEFAULT_TIMEOUTS } from '../machine/policy/model-timeouts.ts';
import { errorOfPart } from '../providers/extract/ai-sdk.ts';
import { laterCount } from '../providers/pricing/counted-usage.ts';
import { countedSoFar } from '../providers/pricing/early-usage.ts';
import { badSignIn, errorSignIn, INTERRUPTED } from '../providers/wire/bad-sign.ts';
import { hasTwinsAmong } from '../providers/wire/distinct-calls.ts';
import { noteWire } from '../providers/wire/wire-events.ts';
import { BadEnding, badEndingOf, noteCall, UNREADABLE } from './attempt-failure.ts';
import { AttemptStopped } from './attempt-scope.ts';
import { ChainCall, type OpenAttempt } from './chain-call.ts';
import { endingFor, optionsFor, withRecord } from './entry-options.ts';
import { expectedTokens } from './expect-tokens.ts';
import { reportedUsage } from './generate.ts';
import type { Chain } from './chain-options.ts';
import { isContent } from './stream-content.ts';

type Model = LanguageModelV4;
type Finish = Extract<Part, { type: 'finish' }>;

export async function stream(
  chain: Chain<Model>,
  options: LanguageModelV4CallOptions,
): Promise<LanguageModelV4StreamResult> {
  const call = new ChainCall(chain, options.abortSignal);
  try {
    const { answer, attempt } = await call.answerOf((open) => openStream(chain, open, options), {
      estimate: expectedTokens(options),
      defaultTimeoutMs: DEFAULT_TIMEOUTS.firstTokenMs,
    });
    const { result, ...opened } = answer;
    const reading = new Reading(chain, call, attempt, opened);
    return { ...result, stream: new ReadableStream<Part>(reading, { highWaterMark: 0 }) };
  } catch (thrown) {
    // the caller's own abort is thrown unchanged
    if (isAbortOf(options.abortSignal, thrown)) throw thrown;
    return { stream: failedStream(thrown) };
  }
}

interface Opened {
  readonly result: LanguageModelV4StreamResult;
  readonly reader: ReadableStreamDefaultReader<Part>;
  /** Parts up to the first content, in order. */
  readonly held: readonly Part[];
  /** Set where an answer ended before its first content. */
  readonly finish: Finish | undefined;
}

/** Reads up to the first content, or to a good end without any. */
async function openStream(
  chain: Chain<Model>,
  open: OpenAttempt<Model>,
  options: LanguageModelV4CallOptions,
): Promise<Opened> {
  const { entry, scope } = open;
  // the SDK drops errors beside a good end, all finish reasons but the last, and parts after the
  // end
  const asked = { ...optionsFor(entry, options, scope.signal), includeRawChunks: true };
  const result = await scope.wait(entry.model.doStream(asked));
  open.showsRaw = options.includeRawChunks === true;
  const reader = result.stream.getReader();
  const held: Part[] = [];
  let finish: Finish | undefined;
  try {
    for (;;) {
      const part = await readPart(chain, open, { reader, finish });
      if (part?.type === 'finish') finish = endAfter(finish, part);
      else if (part !== undefined) held.push(part);
      if (part === undefined || isContent(part)) return { result, reader, held, finish };
    }
  } catch (thrown) {
    release(reader, thrown);
    throw thrown;
  }
}

/** The next part for the caller; undefined at the end of a stream that has finished. */
async function readPart(
  chain: Chain<Model>,
  open: OpenAttempt<Model>,
  reading: Pick<Opened, 'reader' | 'finish'>,
): Promise<Part | undefined> {
  for (;;) {
    const part = await nextPart(chain, open, reading);
    if (part?.type !== 'raw' || open.showsRaw === true) return part;
  }
}

async function nextPart(
  chain: Chain<Model>,
  open: OpenAttempt<Model>,
  { reader, finish }: Pick<Opened, 'reader' | 'finish'>,
): Promise<Part | undefined> {
  const { done, value: part } = await open.scope.wait(reader.read()).catch((thrown: unknown) => {
    // a complete answer stays one, whatever happens to its connection afterwards
    if (finish !== undefined) return { done: true, value: undefined } as const;
    throw thrown;
  });
  if (done) {
    if (finish !== undefined) return undefined;
    throw new BadEnding(INTERRUPTED);
  }
  if (part.type === 'error') throw inBand(part.error);
  // nothing after the end is a part of the reply
  if (finish !== undefined && isContent(part)) throw new BadEnding(INTERRUPTED);
  noteSeen(open, part);
  if (part.type === 'finish') checkFinish(chain, open, part);
  return part;
}

/** The rest of the stream, part by part as it is asked for. */
class Reading {
  readonly #chain: Chain<Model>;
  readonly #call: ChainCall<Model>;
  readonly #attempt: OpenAttempt<Model>;
  readonly #reader: ReadableStreamDefaultReader<Part>;
  readonly #held: Part[];
  readonly #idleMs: number;
  /** Held back to the end of the stream: an error may follow it. */
  #finish: Finish | undefined;
  #isFinished = false;
  /** Somebody waits for the next part, and so do we. */
  #isAsked = false;
  #controller: ReadableStreamDefaultController<Part> | undefined;
  /** The reader has left: attempts that fail now are on the bill already. */
  #isCancelled = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    chain: Chain<Model>,
    call: ChainCall<Model>,
    attempt: OpenAttempt<Model>,
    { reader, held, finish }: Omit<Opened, 'result'>,
  ) {
    this.#chain = chain;
    this.#call = call;
    this.#attempt = attempt;
    this.#reader = reader;
    this.#held = [...held];
    this.#finish = finish;
    this.#idleMs = attempt.entry.timeoutMs ?? DEFAULT_TIMEOUTS.idleMs;
    attempt.isBegun = true;
    // any later failure comes after content, unless the answer is empty and over
    attempt.isDelivered = true;
    attempt.scope.rest();
    attempt.scope.whenStopped(() => this.#stopUnasked());
  }

  start(controller: ReadableStreamDefaultController<Part>): void {
    this.#controller = controller;
  }

  async pull(controller: ReadableStreamDefaultController<Part>): Promise<void> {
    if (this.#failure !== undefined) return failLater(controller, this.#failure.error);
    this.#isAsked = true;
    try {
      const part = this.#held.shift() ?? (await this.#next());
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    } catch (thrown) {
      this.#fail(controller, thrown);
    } finally {
      this.#isAsked = false;
    }
  }

  /** Ends an attempt that was stopped while nobody asked for more, so that it is on the bill. */
  #stopUnasked(): void {
    if (!this.#isAsked && this.#controller !== undefined)
      this.#fail(this.#controller, new AttemptStopped());
  }

  cancel(reason: unknown): void {
    if (!this.#isFinished && this.#failure === undefined) this.#call.abandoned(this.#attempt);
    this.#isCancelled = true;
    release(this.#reader, reason);
  }

  async #next(): Promise<Part | undefined> {
    while (!this.#isFinished) {
      const finish = this.#finish;
      // the provider can be silent only while a part is asked for; after the end no part has to
      // come
      if (finish === undefined) this.#attempt.scope.listen(this.#idleMs);
      const part = await readPart(this.#chain, this.#attempt, { reader: this.#reader, finish });
      if (finish === undefined) this.#attempt.scope.rest();
      if (part?.type !== 'finish') return part ?? this.#finished(finish);
      this.#finish = endAfter(finish, part);
    }
    return undefined;
  }

  #finished(part: Finish | undefined): Finish | undefined {
    this.#isFinished = true;
    if (part === undefined) return undefined;
    const record = this.#call.succeeded(this.#attempt, this.#attempt.reported);
    return { ...part, providerMetadata: withRecord(part.providerMetadata, record) };
  }

  #fail(controller: ReadableStreamDefaultController<Part>, thrown: unknown): void {
    if (this.#isCancelled) return;
    release(this.#reader, thrown);
    try {
      const error = this.#call.broken(this.#attempt, thrown);
      this.#failure = { error };
      controller.enqueue({ type: 'error', error });
    } catch (reason) {
      this.#failure = { error: reason };
      controller.error(reason); // the caller's own abort
    }
  }
}

function noteSeen(open: OpenAttempt<Model>, part: Part): void {
  open.written += charsIn(part);
  if (part.type === 'tool-input-start' && part.providerExecuted !== true)
    open.begunIds.add(part.id);
  if (part.type === 'tool-call') {
    open.hasCalls = true;
    noteCall(open.callIds, part);
    // the SDK invents ids, and would make one call twice
    if (hasTwinsAmong(open.wire.seenCalls, [...open.callIds])) throw new BadEnding(UNREADABLE);
  }
  if (part.type === 'raw') {
    noteWire(open.wire, part.rawValue);
    open.counted = countedSoFar(open.counted, part.rawValue);
    if (open.wire.isMixed) throw new BadEnding(INTERRUPTED);
  }
  if (part.type === 'finish') open.reported = laterCount(open.reported, reportedUsage(part.usage));
}

function checkFinish(chain: Chain<Model>, open: OpenAttempt<Model>, part: Finish): void {
  const { wire, entry } = open;
  const { finishReason } = part;
  const error = errorSignIn(wire);
  if (error !== undefined) throw new BadEnding(error);
  const bad = badEndingOf(finishReason, endingFor(chain, open, { isStream: true }));
  if (bad !== undefined) throw bad;
  // a truncated answer passes as such, with the word that says so
  const sign = finishReason.unified === 'length' ? undefined : badSignIn(wire, entry.ref.provider);
  if (sign !== undefined) throw new BadEnding(sign);
  // counted: the id of a call and that of its arguments need not be the same
  const isHalf = open.begunIds.size > open.callIds.size;
  if (isHalf && part.finishReason.unified !== 'length') throw new BadEnding(INTERRUPTED);
}

/** A later end may be worse, never better: a truncated answer stays truncated. */
function endAfter(before: Finish | undefined, part: Finish): Finish {
  if (before?.finishReason.unified !== 'length') return part;
  return { ...part, finishReason: before.finishReason };
}

/** An error that the provider sent inside its stream. */
function inBand(error: unknown): unknown {
  const link = errorOfPart(error);
  return link === error || !isPlainObject(link) ? error : new BadEnding(link);
}

function isAbortOf(signal: AbortSignal | undefined, thrown: unknown): boolean {
  return signal?.aborted === true && thrown === signal.reason;
}

function failedStream(error: unknown): ReadableStream<Part> {
  let isSaid = false;
  return new ReadableStream<Part>(
    {
      async pull(controller) {
        if (isSaid) return failLater(controller, error);
        isSaid = true;
        controller.enqueue({ type: 'error', error });
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * `streamText({ streamRetries })` restarts the call at the `error` part and cancels this stream,
 * which is impossible once the stream has failed. So the failure waits this long.
 */
const RESTART_MS = 100;

async function failLater(
  controller: ReadableStreamDefaultController<Part>,
  error: unknown,
): Promise<void> {
  await MACHINE_CLOCK.sleep(RESTART_MS, new AbortController().signal);
  controller.error(error);
}

function release(reader: ReadableStreamDefaultReader<Part>, reason: unknown): void {
  // the failure is known already, and a stream that is thrown away has no other listener
  reader.cancel(reason).catch(() => undefined);
}

function charsIn(part: Part): number {
  if ('delta' in part) return part.delta.length;
  return part.type === 'tool-call' ? part.toolName.length : 0;
}
