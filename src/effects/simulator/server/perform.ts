/** Plays one entry of a script as the answer to one request, and says how it went and what it cost. */
import { isJsonObject, type JsonValue } from '../../../errors/json.ts';
import type { Usage } from '../../../machine/events.ts';
import type { ModelCall } from '../../../machine/model-call.ts';
import type { SimulatedFailure } from '../../../workflow/model.ts';
import { replyTo, type Reply } from '../reply.ts';
import { outputTokensOf } from '../../../machine/pricing.ts';
import { errorBody, wireFailure } from '../wire-failure.ts';
import type { CorpusEntry } from './corpus.ts';
import type { Asked, Frame, Protocol, Said, Stop } from './protocol.ts';
import { valueOf } from './read-json.ts';
import type { ScriptEntry } from './script.ts';
import type { Pauses, Wire, WireAnswer } from './wire.ts';

/** `left`: the client went away before the end. */
export type Ending = 'answered' | 'failed' | 'cut' | 'lost' | 'hung' | 'left';

export interface Performed {
  readonly ending: Ending;
  readonly status?: number;
  /** What a bill would say; nothing where no work was done. */
  readonly usage: Usage;
}

export interface Stage {
  readonly wire: Wire;
  readonly protocol: Protocol;
  readonly asked: Asked;
  readonly call: ModelCall;
  /** Different for each request of a server. */
  readonly id: string;
  readonly atSeconds: number;
}

const NO_PAUSES: Pauses = { firstTokenMs: 0, stallMs: 0 };

/** What there is of an answer before something happens to it. */
const BEGINNING = 'Once upon a time';

export async function perform(entry: ScriptEntry | undefined, stage: Stage): Promise<Performed> {
  if (entry === undefined) return speak(replyTo(stage.call), stage);
  const { answer, wire, thenFail } = entry;
  if (!(await stage.wire.pause(answer.delayMs))) return { ending: 'left', usage: {} };
  if (answer.type === 'hang') {
    await stage.wire.hang();
    return { ending: 'hung', usage: answer.usage ?? {} };
  }
  if (answer.type === 'fail')
    return { ...(await fail(answer.fail, stage)), ...billed(answer.usage) };
  const reply = replyTo(stage.call, answer);
  if (answer.isLost === true) {
    stage.wire.break();
    return { ending: 'lost', usage: reply.usage };
  }
  const { firstTokenMs = 0, stallMs = 0 } = wire;
  return speak(reply, stage, { pauses: { firstTokenMs, stallMs }, thenFail });
}

function billed(usage: Usage | undefined): { readonly usage?: Usage } {
  return usage === undefined ? {} : { usage };
}

interface Manner {
  readonly pauses?: Pauses;
  readonly stop?: Stop;
  readonly thenFail?: SimulatedFailure | undefined;
}

async function speak(reply: Reply, stage: Stage, manner: Manner = {}): Promise<Performed> {
  const { wire, protocol, asked } = stage;
  const { pauses = NO_PAUSES, thenFail } = manner;
  const said = saidOf(reply, stage, manner.stop);
  if (!asked.isStream) return speakWhole(said, reply, stage, manner);

  const isBroken = reply.isCut || thenFail !== undefined;
  const frames = isBroken ? beforeTheEnd(protocol.frames(said)) : protocol.frames(said);
  const sent = await wire.stream(frames, pauses);
  if (sent === 'left') return { ending: 'left', status: 200, usage: usageSoFar(said, wire) };
  if (reply.isCut) {
    wire.break();
    return { ending: 'cut', status: 200, usage: reply.usage };
  }
  if (thenFail === undefined) {
    wire.end();
    return { ending: 'answered', status: 200, usage: reply.usage };
  }
  const failure = answerOf(thenFail, stage);
  if (failure === undefined) wire.break();
  else wire.end(protocol.errorFrame(failure.body));
  return { ending: 'failed', status: 200, usage: reply.usage };
}

/** All at once: the time of all pauses is the time until the answer. */
async function speakWhole(
  said: Said,
  reply: Reply,
  stage: Stage,
  { pauses = NO_PAUSES, thenFail }: Manner,
): Promise<Performed> {
  const { wire, protocol } = stage;
  const between = Math.max(0, said.pieces.length - 1);
  const waitMs = pauses.firstTokenMs + (between === 0 ? 0 : between * pauses.stallMs);
  if (!(await wire.pause(waitMs))) return { ending: 'left', usage: {} };
  if (thenFail !== undefined) return { ...(await fail(thenFail, stage)), usage: reply.usage };
  if (reply.isCut) {
    await wire.sendHalf(protocol.whole(said));
    return { ending: 'cut', status: 200, usage: reply.usage };
  }
  wire.send({ status: 200, headers: {}, body: protocol.whole(said) });
  return { ending: 'answered', status: 200, usage: reply.usage };
}

function beforeTheEnd(frames: readonly Frame[]): readonly Frame[] {
  const last = frames.findLastIndex(({ isContent }) => isContent);
  // without a piece, what opens the stream is all there is
  return last < 0 ? frames.slice(0, 1) : frames.slice(0, last + 1);
}

function usageSoFar(said: Said, { sentPieces }: Wire): Usage {
  const text = said.pieces.slice(0, sentPieces).join('');
  return { ...said.usage, outputTokens: outputTokensOf(text) };
}

function saidOf(reply: Reply, { asked, call, id, atSeconds }: Stage, stop?: Stop): Said {
  const forced = forcedCall(reply, asked, id);
  const { pieces, toolCalls, usage } = forced ?? reply;
  const natural: Stop = toolCalls.length > 0 ? 'tools' : 'end';
  const { model } = call;
  const { wantsUsage } = asked;
  return { pieces, toolCalls, usage, model, id, atSeconds, wantsUsage, stop: stop ?? natural };
}

/** A client that wants an object may ask for it as the call of a tool. */
function forcedCall(reply: Reply, { forcedTool }: Asked, id: string): Reply | undefined {
  if (forcedTool === undefined || reply.toolCalls.length > 0) return undefined;
  const value = valueOf(reply.pieces.join(''));
  if (!isJsonObject(value)) return undefined;
  const call = { id: `call_${id}`, name: forcedTool, arguments: value };
  return { ...reply, pieces: [], toolCalls: [call] };
}

/** What is no answer with a status happens to the connection, or is how an answer ends. */
async function fail(failure: SimulatedFailure, stage: Stage): Promise<Performed> {
  const answer = answerOf(failure, stage);
  if (answer !== undefined) {
    stage.wire.send(answer);
    return { ending: 'failed', status: answer.status, usage: {} };
  }
  const begun = { type: 'stream', delayMs: 0, chunks: [BEGINNING], isCut: true } as const;
  const reply = replyTo(stage.call, begun);
  switch ('kind' in failure ? failure.kind : '') {
    case 'provider.stream_interrupted':
      return speak(reply, stage);
    case 'provider.truncated':
      return ended(reply, stage, 'length');
    case 'provider.content_filter':
      return ended(reply, stage, 'filter');
    default:
      stage.wire.break();
      return { ending: 'cut', usage: {} };
  }
}

async function ended(reply: Reply, stage: Stage, stop: Stop): Promise<Performed> {
  const performed = await speak({ ...reply, isCut: false }, stage, { stop });
  return { ...performed, ending: 'failed' };
}

/** Undefined for a kind that is no answer with a status. */
function answerOf(failure: SimulatedFailure, { protocol }: Stage): WireAnswer | undefined {
  const { dialect } = protocol;
  if ('kind' in failure) return wireFailure(failure.kind, dialect, failure);
  const { status, headers } = failure;
  const words = { status, type: 'simulated_error', message: `Simulated ${status}`, code: null };
  return { status, headers, body: failure.body ?? errorBody(dialect, words) };
}

/** A recorded failure. Of a fault below HTTP what is left of it is a connection that breaks. */
export async function performRecorded(entry: CorpusEntry, stage: Stage): Promise<Performed> {
  const { wire, protocol, asked } = stage;
  if (entry.isMidStream && asked.isStream) {
    const reply = replyTo(stage.call, { type: 'answer', delayMs: 0, answer: BEGINNING });
    // a text is a whole stream as it was recorded; anything else is one event from the middle
    const isWhole = typeof entry.body === 'string' && !entry.hasFault;
    const frames = beforeTheEnd(protocol.frames(saidOf(reply, stage)));
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
