/**
 * The beginning and the end of a reply. OpenAI's Responses, Anthropic's messages and Bedrock have
 * an event for each; OpenAI's chat has one for the end. A piece after the end belongs to no reply,
 * but the SDK adds it to the ended one, and would make a call of it.
 */
import { readProperty } from '../errors/support/safe-json.ts';

/** Collected while a stream is read. */
export interface ReplyBounds {
  isBegun: boolean;
  /** The event that ends the whole reply has arrived. */
  isOver: boolean;
  /** There is more than one reply. */
  isMixed: boolean;
}

export function newBounds(): ReplyBounds {
  return { isBegun: false, isOver: false, isMixed: false };
}

const BEGINNINGS: ReadonlySet<unknown> = new Set(['message_start', 'response.created']);

/** The end of a stream of OpenAI's chat: text, and no event. */
export const DONE = '[DONE]';

const ENDS: ReadonlySet<unknown> = new Set([
  'message_stop',
  'response.completed',
  'response.incomplete',
  'response.failed',
]);

/** The fields of a piece of a reply in these protocols. */
const PIECES = [
  'delta',
  'item',
  'part',
  'content_block',
  'contentBlockStart',
  'contentBlockDelta',
  'contentBlockStop',
] as const;

export function noteBounds(bounds: ReplyBounds, event: unknown): void {
  const type = readProperty(event, 'type');
  const has = (field: string): boolean => readProperty(event, field) !== undefined;
  const isBeginning = BEGINNINGS.has(type) || has('messageStart');
  bounds.isMixed ||= bounds.isBegun && isBeginning;
  bounds.isMixed ||= bounds.isOver && (isBeginning || PIECES.some(has));
  bounds.isBegun ||= isBeginning;
  bounds.isOver ||= ENDS.has(type) || has('messageStop') || event === DONE;
}
