/**
 * Conversation of an agent or a supervisor with a model: its messages, the tool calls, and the state of
 * its model chain. A fold over the effects of all attempts since it started; only a `retry` route
 * starts a new one.
 */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import { forModel } from '../../errors/report/audiences.ts';
import type { AttemptSummary, ErrorReport } from '../../errors/report/report.ts';
import { identityOf } from '../../workflow/plan/stable-hash.ts';
import { readReply } from './model-reply.ts';
import type { ChainEntry } from '../policy/model-chain.ts';
import type { FinishedCall } from './finished-calls.ts';
import type { ModelReply, ModelImage, ModelMessage, ToolCall } from './model-message.ts';

export interface Conversation {
  /** The first message, as it was when the current attempt first used it. */
  prompt: Prompt;
  /** Set in a new attempt: the next request evaluates the prompt again. */
  isReworded: boolean;
  /** Number of the event with its first request. */
  readonly sinceSeq: number;
  /** Its number among the conversations at its path that asked for approvals; undefined for the first. */
  readonly series: number | undefined;
  /** The failure of its node, until the conversation continues. */
  failedWith: ErrorReport | undefined;
  /** All messages after the first. */
  readonly messages: ModelMessage[];
  /** Replies so far. */
  turns: number;
  /** The latest reply, until all its tool calls are done. */
  reply: ModelReply | undefined;
  /** The tool calls of the latest reply, in order. */
  calls: OpenCall[];
  /** How often a reply was sent back, by reason. */
  readonly corrections: { schema: number; tools: number };
  readonly chain: ChainEntry[];
  /** The running call, or one that was lost in a crash and has to be repeated. */
  asking: { readonly key: string; readonly model: string } | undefined;
  /** The last failed call, until the next one is made. */
  failure: ConversationFailure | undefined;
  /** Failed model calls since the last reply. */
  failedCalls: AttemptSummary[];
  /** How often each tool was called with the same arguments. */
  readonly called: Map<string, number>;
  /** How often each call was forbidden or denied; the second time fails the node. */
  readonly refused: Map<string, number>;
  /** Values that the model has written, for the shared state when the node completes. */
  readonly writes: [string, JsonValue][];
  /** Only for a supervisor: the nodes it chose, in order. */
  readonly rounds: string[];
  /** Only for the model that judges an output: what it judges. */
  readonly judging?: { readonly of: Conversation; readonly output: JsonValue };
  /** How often the judge refused the output. Default: 0. */
  readonly rejections?: number;
  /** Whether the judge's words were added, and no judge was asked since. */
  readonly isRejected?: boolean;
}

export interface ConversationFailure {
  readonly error: ErrorReport;
  readonly partial?: JsonValue;
  /** Whether a model of the chain may still be called. */
  readonly canGoOn: boolean;
  /** A route names the kind and retries it. */
  readonly isTakenOver: boolean;
}

/** The opening of a conversation. */
export interface Prompt {
  /** The prompt of the node, rendered. */
  readonly text: string;
  /** The pictures shown with it. */
  readonly images?: readonly ModelImage[];
  /** The system prompt. */
  readonly system?: string;
}

export interface OpenCall {
  readonly call: ToolCall;
  /** Key of its effect. */
  readonly key: string;
  /** Its number among identical calls. */
  readonly ordinal: number;
  /** Its result from an earlier attempt, which is used again. */
  readonly known: FinishedCall | undefined;
  /** The gate at which a person is asked. */
  gate: string | undefined;
  decided: 'approve' | 'deny' | undefined;
  /** The person's reply to `ask_person`; null: nothing. */
  replied?: string | null;
  /** Why a guard wants a person to approve it. */
  guardAsks: string | undefined;
  isBegun: boolean;
  /** Failed calls of its effect so far. */
  failures: number;
  /** When the tool's own policy repeats the failed call. */
  again: { readonly atMs: number; readonly error?: ErrorReport } | undefined;
  result:
    | { readonly value: JsonValue; readonly error?: undefined }
    | { readonly value: JsonValue; readonly error: ErrorReport }
    | undefined;
}

export function newConversation(
  prompt: Prompt,
  chain: ChainEntry[],
  { sinceSeq, series }: Pick<Conversation, 'sinceSeq' | 'series'>,
): Conversation {
  return {
    prompt,
    isReworded: false,
    sinceSeq,
    series,
    failedWith: undefined,
    messages: [],
    turns: 0,
    reply: undefined,
    calls: [],
    corrections: { schema: 0, tools: 0 },
    chain,
    asking: undefined,
    failure: undefined,
    failedCalls: [],
    called: new Map(),
    refused: new Map(),
    writes: [],
    rounds: [],
  };
}

/**
 * The approval gate of one call of the current turn: `a/pay#1.2`, and `a/pay#2:1.2` for a later
 * conversation at the same path. A name is never reused for another call, so a late answer cannot
 * approve the wrong one.
 */
export function approvalGate(
  path: string,
  tool: string,
  conversation: Conversation,
  index: number,
): string {
  return `${path}/${tool}${gateSuffix(conversation, index)}`;
}

/** Older logs use the short name for every conversation. */
export function isApprovalOf(gate: string, conversation: Conversation, index: number): boolean {
  return [conversation, { ...conversation, series: undefined }].some((each) =>
    gate.endsWith(gateSuffix(each, index)),
  );
}

function gateSuffix({ series, turns }: Conversation, index: number): string {
  return `#${series === undefined ? '' : `${series}:`}${turns}.${index + 1}`;
}

/** A failure as a model sees it: enough to correct itself, and nothing else. */
export function shownToModel(report: ErrorReport): JsonObject {
  const { kind, message, retryable } = forModel(report);
  return { error: { kind, message, can_retry: retryable } };
}

/** The messages before the next call: results of tool calls, or why the reply was sent back. */
export function nextMessages(
  { reply, calls }: Conversation,
  schema: JsonObject | undefined,
  round: JsonObject | undefined,
): readonly ModelMessage[] {
  if (reply === undefined) return [];
  const results = calls.map(resultMessage);
  if (reply.toolCalls.length > 0 && calls.every(({ result }) => result !== undefined))
    return results;
  const reading = readReply(reply.text, schema);
  if (reading.type === 'wrong') {
    const text = `${reading.problem}. Answer again, with nothing but JSON.`;
    return [...results, { role: 'user', text }];
  }
  return round === undefined
    ? results
    : [...results, { role: 'user', text: JSON.stringify(round) }];
}

/** Gives every call a result, because providers require one; a supervisor has no tools. */
function resultMessage({ call, result }: OpenCall): ModelMessage {
  const { id, name } = call;
  if (result !== undefined)
    return { role: 'tool', id, name, result: result.value, isError: result.error !== undefined };
  const message = `There is no tool called ${name}`;
  const error = { kind: 'tool.not_found', message, can_retry: false };
  return { role: 'tool', id, name, result: { error }, isError: true };
}

/** Whether a reply is sent back for its form. The tool calls of an agent come first. */
export function violatesSchema(
  { toolCalls, text }: ModelReply,
  schema: JsonObject | undefined,
  hasTools: boolean,
): boolean {
  if (hasTools && toolCalls.length > 0) return false;
  return readReply(text, schema).type === 'wrong';
}

/** Whether the model made an invalid call; it sees why and may correct it. */
export function hasInvalidCall({ calls }: Conversation): boolean {
  return calls.some(({ result }) => {
    return INVALID_CALL_KINDS.has(result?.error?.kind ?? '');
  });
}

/** A call that was forbidden or denied for the second time. */
export function refusedAgain({ calls, refused }: Conversation): ErrorReport | undefined {
  const again = calls.find(
    ({ call, result }) =>
      result?.error !== undefined &&
      REFUSAL_KINDS.has(result.error.kind) &&
      (refused.get(callHash(call)) ?? 0) > 1,
  );
  return again?.result?.error;
}

export const REFUSAL_KINDS: ReadonlySet<string> = new Set(['tool.forbidden', 'tool.denied']);

/** The same for identical calls. */
export function callHash({ name, arguments: args, unparsable }: ToolCall): string {
  return identityOf([name, args ?? unparsable ?? null]);
}

const INVALID_CALL_KINDS: ReadonlySet<string> = new Set([
  'tool.input_invalid',
  'tool.not_found',
  'tool.forbidden',
]);

/** The process has no such tool. The model cannot do anything about that. */
export function isToolMissing({ result }: Pick<OpenCall, 'result'>): boolean {
  return result?.error?.kind === 'run.resume_mismatch';
}
