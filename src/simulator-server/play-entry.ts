/** Plays one entry of a script as the response to one request, and returns how it ended and its usage. */
import { isJsonObject, type JsonValue } from '../errors/support/safe-json.ts';
import type { Usage } from '../machine/state/events.ts';
import type { ModelCall } from '../machine/conversation/model-message.ts';
import type { SimulatedFailure } from '../workflow/plan/plan.ts';
import { replyTo, type Reply } from '../effects/simulator/reply.ts';
import { outputTokensOf } from '../machine/policy/pricing.ts';
import { errorBody, wireFailure } from '../effects/simulator/wire-failure.ts';
import type { CorpusEntry } from './corpus.ts';
import type { ReceivedRequest, Frame, Protocol, WireReply, Stop } from './protocol.ts';
import { valueOf } from './read-json.ts';
import type { ScriptEntry } from './reply-script.ts';
import type { Pauses, Wire, WireAnswer } from './wire.ts';

/** `left`: the client disconnected before the end. */
export type RequestEnding = 'answered' | 'failed' | 'cut' | 'lost' | 'hung' | 'left';

export interface PlayedEntry {
  readonly ending: RequestEnding;
  readonly status?: number;
  /** The usage to bill; empty if no work was done. */
  readonly usage: Usage;
}

export interface RequestContext {
  readonly wire: Wire;
  readonly protocol: Protocol;
  readonly received: ReceivedRequest;
  readonly call: ModelCall;
  /** Unique among the requests of a server. */
  readonly id: string;
  readonly atSeconds: number;
}

const NO_PAUSES: Pauses = { firstTokenMs: 0, stallMs: 0 };

/** The part of a reply before a failure in the middle. */
const BEGINNING = 'Once upon a time';

export async function playEntry(
  entry: ScriptEntry | undefined,
  context: RequestContext,
): Promise<PlayedEntry> {
  if (entry === undefined) return sendReply(replyTo(context.call), context);
  const { answer, wire, thenFail } = entry;
  if (!(await context.wire.pause(answer.delayMs))) return { ending: 'left', usage: {} };
  if (answer.type === 'hang') {
    await context.wire.hang();
    return { ending: 'hung', usage: answer.usage ?? {} };
  }
  if (answer.type === 'fail')
    return { ...(await fail(answer.fail, context)), ...billed(answer.usage) };
  const reply = replyTo(context.call, answer);
  if (answer.isLost === true) {
    context.wire.break();
    return { ending: 'lost', usage: reply.usage };
  }
  const { firstTokenMs = 0, stallMs = 0 } = wire;
  return sendReply(reply, context, { pauses: { firstTokenMs, stallMs }, thenFail });
}

function billed(usage: Usage | undefined): { readonly usage?: Usage } {
  return usage === undefined ? {} : { usage };
}

interface ReplyOptions {
  readonly pauses?: Pauses;
  readonly stop?: Stop;
  readonly thenFail?: SimulatedFailure | undefined;
}

async function sendReply(
  reply: Reply,
  context: RequestContext,
  options: ReplyOptions = {},
): Promise<PlayedEntry> {
  const { wire, protocol, received } = context;
  const { pauses = NO_PAUSES, thenFail } = options;
  const wireReply = wireReplyOf(reply, context, options.stop);
  if (!received.isStream) return sendWhole(wireReply, reply, context, options);

  const isBroken = reply.isCut || thenFail !== undefined;
  const frames = isBroken ? beforeTheEnd(protocol.frames(wireReply)) : protocol.frames(wireReply);
  const sent = await wire.stream(frames, pauses);
  if (sent === 'left') return { ending: 'left', status: 200, usage: usageSoFar(wireReply, wire) };
  if (reply.isCut) {
    wire.break();
    return { ending: 'cut', status: 200, usage: reply.usage };
  }
  if (thenFail === undefined) {
    wire.end();
    return { ending: 'answered', status: 200, usage: reply.usage };
  }
  const failure = answerOf(thenFail, context);
  if (failure === undefined) wire.break();
  else wire.end(protocol.errorFrame(failure.body));
  return { ending: 'failed', status: 200, usage: reply.usage };
}

/** Without a stream: waits the sum of all pauses, then sends the whole reply. */
async function sendWhole(
  wireReply: WireReply,
  reply: Reply,
  context: RequestContext,
  { pauses = NO_PAUSES, thenFail }: ReplyOptions,
): Promise<PlayedEntry> {
  const { wire, protocol } = context;
  const between = Math.max(0, wireReply.pieces.length - 1);
  const waitMs = pauses.firstTokenMs + (between === 0 ? 0 : between * pauses.stallMs);
  if (!(await wire.pause(waitMs))) return { ending: 'left', usage: {} };
  if (thenFail !== undefined) return { ...(await fail(thenFail, context)), usage: reply.usage };
  if (reply.isCut) {
    await wire.sendHalf(protocol.whole(wireReply));
    return { ending: 'cut', status: 200, usage: reply.usage };
  }
  wire.send({ status: 200, headers: {}, body: protocol.whole(wireReply) });
  return { ending: 'answered', status: 200, usage: reply.usage };
}

function beforeTheEnd(frames: readonly Frame[]): readonly Frame[] {
  const last = frames.findLastIndex(({ isContent }) => isContent);
  // without pieces, only the start of the stream is sent
  return last < 0 ? frames.slice(0, 1) : frames.slice(0, last + 1);
}

function usageSoFar(wireReply: WireReply, { sentPieces }: Wire): Usage {
  const text = wireReply.pieces.slice(0, sentPieces).join('');
  return { ...wireReply.usage, outputTokens: outputTokensOf(text) };
}

function wireReplyOf(
  reply: Reply,
  { received, call, id, atSeconds }: RequestContext,
  stop?: Stop,
): WireReply {
  const forced = forcedCall(reply, received, id);
  const { pieces, toolCalls, usage } = forced ?? reply;
  const natural: Stop = toolCalls.length > 0 ? 'tools' : 'end';
  const { model } = call;
  const { wantsUsage } = received;
  return { pieces, toolCalls, usage, model, id, atSeconds, wantsUsage, stop: stop ?? natural };
}

/** A client that wants an object may request it as a tool call. */
function forcedCall(reply: Reply, { forcedTool }: ReceivedRequest, id: string): Reply | undefined {
  if (forcedTool === undefined || reply.toolCalls.length > 0) return undefined;
  const value = valueOf(reply.pieces.join(''));
  if (!isJsonObject(value)) return undefined;
  const call = { id: `call_${id}`, name: forcedTool, arguments: value };
  return { ...reply, pieces: [], toolCalls: [call] };
}

/** A failure without a status breaks the connection, or ends the reply early. */
async function fail(failure: SimulatedFailure, context: RequestContext): Promise<PlayedEntry> {
  const answer = answerOf(failure, context);
  if (answer !== undefined) {
    context.wire.send(answer);
    return { ending: 'failed', status: answer.status, usage: {} };
  }
  const begun = { type: 'stream', delayMs: 0, chunks: [BEGINNING], isCut: true } as const;
  const reply = replyTo(context.call, begun);
  switch ('kind' in failure ? failure.kind : '') {
    case 'provider.stream_interrupted':
      return sendReply(reply, context);
    case 'provider.truncated':
      return ended(reply, context, 'length');
    case 'provider.content_filter':
      return ended(reply, context, 'filter');
    default:
      context.wire.break();
      return { ending: 'cut', usage: {} };
  }
}

async function ended(reply: Reply, context: RequestContext, stop: Stop): Promise<PlayedEntry> {
  const played = await sendReply({ ...reply, isCut: false }, context, { stop });
  return { ...played, ending: 'failed' };
}

/** Undefined for a kind that is not a response with a status. */
function answerOf(failure: SimulatedFailure, { protocol }: RequestContext): WireAnswer | undefined {
  const { dialect } = protocol;
  if ('kind' in failure) return wireFailure(failure.kind, dialect, failure);
  const { status, headers } = failure;
  const words = { status, type: 'simulated_error', message: `Simulated ${status}`, code: null };
  return { status, headers, body: failure.body ?? errorBody(dialect, words) };
}

/** Plays a recorded failure. A fault below HTTP is played as a broken connection. */
export async function playRecorded(
  entry: CorpusEntry,
  context: RequestContext,
): Promise<PlayedEntry> {
  const { wire, protocol, received } = context;
  if (entry.isMidStream && received.isStream) {
    const reply = replyTo(context.call, { type: 'answer', delayMs: 0, answer: BEGINNING });
    // a string is a whole recorded stream; anything else is one event in the middle
    const isWhole = typeof entry.body === 'string' && !entry.hasFault;
    const frames = beforeTheEnd(protocol.frames(wireReplyOf(reply, context)));
    await wire.stream(isWhole ? [] : frames, NO_PAUSES);
    if (entry.hasFault) wire.break();
    else wire.end(isWhole ? String(entry.body) : protocol.errorFrame(entry.body));
    return { ending: entry.hasFault ? 'cut' : 'failed', status: 200, usage: reply.usage };
  }
  if (entry.hasFault || entry.status === undefined) {
    wire.break();
    return { ending: 'cut', usage: {} };
  }
  const body: JsonValue = entry.body;
  wire.send({ status: entry.status, headers: entry.headers, body });
  return { ending: 'failed', status: entry.status, usage: {} };
}
