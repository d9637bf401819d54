/**
 * The conversation of an agent or a supervisor with a model: what was said, which tools were asked
 * for, and how the models of its chain have fared. A fold over the effects of all tries since it was
 * last begun anew, which only a `retry` route does.
 */
import type { JsonObject, JsonValue } from '../errors/json.ts';
import { forModel } from '../errors/project.ts';
import type { AttemptSummary, ErrorReport } from '../errors/report.ts';
import { hashValue } from '../workflow/hash.ts';
import { readAnswer } from './answer.ts';
import type { ChainEntry } from './chain.ts';
import type { FinishedCall } from './finished-calls.ts';
import type { ModelAnswer, ModelImage, ModelMessage, ToolCall } from './model-call.ts';

export interface Talk {
  /** What the first message says, as it was when the present try first asked. */
  prompt: Prompt;
  /** A new try: the next request is made with the prompt as it is by then. */
  isReworded: boolean;
  /** Number of the event with its first request. */
  readonly sinceSeq: number;
  /** Which it is of the conversations at its path that asked for approvals; undefined for the first. */
  readonly series: number | undefined;
  /** What its node has failed with, until it goes on. */
  failedWith: ErrorReport | undefined;
  /** Everything said after it. */
  readonly messages: ModelMessage[];
  /** Answers so far. */
  turns: number;
  /** The latest answer, until what it asks for has been seen to. */
  answer: ModelAnswer | undefined;
  /** What the latest answer asks for, in its order. */
  calls: OpenCall[];
  /** How often the model was sent back, by why. */
  readonly corrections: { schema: number; tools: number };
  readonly chain: ChainEntry[];
  /** The call that is under way, or was lost and has to be made again. */
  asking: { readonly key: string; readonly model: string } | undefined;
  /** The call that failed last, until the next one is made. */
  failure: TalkFailure | undefined;
  /** Failed calls of models since the last answer. */
  tries: AttemptSummary[];
  /** How often each tool was called with the same arguments. */
  readonly called: Map<string, number>;
  /** How often each call was forbidden or denied, which it may be once. */
  readonly refused: Map<string, number>;
  /** What the model wants to be written to the shared state, when the node completes. */
  readonly writes: [string, JsonValue][];
  /** Of a supervisor: the nodes that were chosen, in order. */
  readonly rounds: string[];
}

export interface TalkFailure {
  readonly error: ErrorReport;
  readonly partial?: JsonValue;
  /** Whether something in the chain may still be asked. */
  readonly canGoOn: boolean;
  /** A route that names the kind retries it. */
  readonly isTakenOver: boolean;
}

export interface Prompt {
  readonly text: string;
  readonly images?: readonly ModelImage[];
  readonly system?: string;
}

export interface OpenCall {
  readonly call: ToolCall;
  /** Of its effect. */
  readonly key: string;
  /** Which of all calls that are the same. */
  readonly ordinal: number;
  /** It has succeeded in an earlier try, and is answered with that. */
  readonly known: FinishedCall | undefined;
  /** The gate at which a person is asked. */
  gate: string | undefined;
  decided: 'approve' | 'deny' | undefined;
  /** Why a guard wants a person to approve it. */
  guardAsks: string | undefined;
  isBegun: boolean;
  /** Of its effect, so far. */
  failures: number;
  /** The failed try after which the tool's own policy wants another. */
  again: { readonly atMs: number; readonly error?: ErrorReport } | undefined;
  result:
    | { readonly value: JsonValue; readonly error?: undefined }
    | { readonly value: JsonValue; readonly error: ErrorReport }
    | undefined;
}

export function newTalk(
  prompt: Prompt,
  chain: ChainEntry[],
  { sinceSeq, series }: Pick<Talk, 'sinceSeq' | 'series'>,
): Talk {
  return {
    prompt,
    isReworded: false,
    sinceSeq,
    series,
    failedWith: undefined,
    messages: [],
    turns: 0,
    answer: undefined,
    calls: [],
    corrections: { schema: 0, tools: 0 },
    chain,
    asking: undefined,
    failure: undefined,
    tries: [],
    called: new Map(),
    refused: new Map(),
    writes: [],
    rounds: [],
  };
}

/**
 * The gate at which a person is asked about one call of the present turn: `a/pay#1.2`, and `a/pay#2:1.2`
 * once a later conversation at the same path asks. A name never comes to mean another call, so an answer
 * that comes too late is given to nobody.
 */
export function approvalGate(path: string, tool: string, talk: Talk, index: number): string {
  return `${path}/${tool}${placeInTalk(talk, index)}`;
}

/** Logs from before later conversations had names of their own have the short one for all of them. */
export function isApprovalOf(gate: string, talk: Talk, index: number): boolean {
  return [talk, { ...talk, series: undefined }].some((each) =>
    gate.endsWith(placeInTalk(each, index)),
  );
}

function placeInTalk({ series, turns }: Talk, index: number): string {
  return `#${series === undefined ? '' : `${series}:`}${turns}.${index + 1}`;
}

/** What a model is told about a failure: enough to do better, and nothing else. */
export function toldToModel(report: ErrorReport): JsonObject {
  const { kind, message, retryable } = forModel(report);
  return { error: { kind, message, can_retry: retryable } };
}

/** What is said to the model before it is asked again: results of what it wanted, or why it must. */
export function nextMessages(
  { answer, calls }: Talk,
  schema: JsonObject | undefined,
  round: JsonObject | undefined,
): readonly ModelMessage[] {
  if (answer === undefined) return [];
  const results = calls.map(resultMessage);
  if (answer.toolCalls.length > 0 && calls.every(({ result }) => result !== undefined))
    return results;
  const reading = readAnswer(answer.text, schema);
  if (reading.type === 'wrong') {
    const text = `${reading.problem}. Answer again, with nothing but JSON.`;
    return [...results, { role: 'user', text }];
  }
  return round === undefined
    ? results
    : [...results, { role: 'user', text: JSON.stringify(round) }];
}

/** Every call has a result, or a provider takes no further message; a supervisor has no tools. */
function resultMessage({ call, result }: OpenCall): ModelMessage {
  const { id, name } = call;
  if (result !== undefined)
    return { role: 'tool', id, name, result: result.value, isError: result.error !== undefined };
  const message = `There is no tool called ${name}`;
  const error = { kind: 'tool.not_found', message, can_retry: false };
  return { role: 'tool', id, name, result: { error }, isError: true };
}

/** Whether an answer is sent back for its form. What an agent wants of tools is seen to first. */
export function isOffForm(
  { toolCalls, text }: ModelAnswer,
  schema: JsonObject | undefined,
  hasTools: boolean,
): boolean {
  if (hasTools && toolCalls.length > 0) return false;
  return readAnswer(text, schema).type === 'wrong';
}

/** Calls that the model got wrong, so that it is told and may do better. */
export function hasBadCall({ calls }: Talk): boolean {
  return calls.some(({ result }) => {
    return BAD_CALLS.has(result?.error?.kind ?? '');
  });
}

/** A call that was forbidden or denied for the second time. */
export function refusedAgain({ calls, refused }: Talk): ErrorReport | undefined {
  const again = calls.find(
    ({ call, result }) =>
      result?.error !== undefined &&
      REFUSALS.has(result.error.kind) &&
      (refused.get(sameCall(call)) ?? 0) > 1,
  );
  return again?.result?.error;
}

export const REFUSALS: ReadonlySet<string> = new Set(['tool.forbidden', 'tool.denied']);

/** The same call, whenever it is made. */
export function sameCall({ name, arguments: given, unparsable }: ToolCall): string {
  return hashValue([name, given ?? unparsable ?? null]);
}

const BAD_CALLS: ReadonlySet<string> = new Set([
  'tool.input_invalid',
  'tool.not_found',
  'tool.forbidden',
]);
