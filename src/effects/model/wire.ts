/**
 * What providers say on the wire and the SDK does not hand on: every word that ends an answer, of which
 * the SDK keeps the last, and of OpenAI's Responses the status of the whole and of its parts, an error
 * beside it, and the text of a part when it is done, which counts where a piece of it got lost.
 */
import { isArray, readProperty } from '../../errors/json.ts';

/** Of a stream while it comes in. */
export interface Wire {
  /** How the provider itself calls the end. */
  word?: string;
  /** All words of ending that came, one after the other. */
  readonly words: Set<string>;
  /** Beside a good status. */
  error?: unknown;
  /** Texts of messages that are done, by their number. */
  readonly texts: Map<number, string>;
  /** The same as it came in pieces. */
  readonly pieces: Map<number, string>;
}

export function newWire(): Wire {
  return { words: new Set(), texts: new Map(), pieces: new Map() };
}

const ENDS = /^response\.(completed|incomplete|failed)$/;

export function noteWire(wire: Wire, event: unknown): void {
  noteWords(wire, event);
  const type = readProperty(event, 'type');
  if (typeof type !== 'string') return;
  if (type === 'response.output_text.delta') {
    notePiece(wire, readProperty(event, 'delta'), readProperty(event, 'output_index'));
    return;
  }
  if (type === 'response.output_item.done') {
    noteItem(wire, readProperty(event, 'item'), readProperty(event, 'output_index'));
    return;
  }
  const end = ENDS.exec(type)?.[1];
  if (end === undefined) return;
  const response = readProperty(event, 'response');
  const status = readProperty(response, 'status');
  const own = end === 'completed' && typeof status === 'string' ? status : end;
  // a part that is not whole makes the whole so
  if (wire.word === undefined || own !== 'completed') wire.word = own;
  wire.error ??= readProperty(response, 'error') ?? undefined;
  const items = readProperty(response, 'output');
  if (isArray(items)) for (const [index, item] of items.entries()) noteItem(wire, item, index);
}

/** In a chunk of OpenAI's chat, a change of Anthropic's message, or a candidate of Gemini's. */
function noteWords(wire: Wire, event: unknown): void {
  noteWord(wire, readProperty(readProperty(event, 'delta'), 'stop_reason'));
  const choices = readProperty(event, 'choices');
  if (isArray(choices))
    for (const one of choices) noteWord(wire, readProperty(one, 'finish_reason'));
  const candidates = readProperty(event, 'candidates');
  if (isArray(candidates))
    for (const one of candidates) noteWord(wire, readProperty(one, 'finishReason'));
}

/** Some hosts write `null` as a text while the answer goes on. */
function noteWord(wire: Wire, word: unknown): void {
  if (typeof word === 'string' && word !== '' && word !== 'null') wire.words.add(word);
}

function notePiece(wire: Wire, piece: unknown, index: unknown): void {
  if (typeof piece !== 'string' || typeof index !== 'number') return;
  wire.pieces.set(index, (wire.pieces.get(index) ?? '') + piece);
}

function noteItem(wire: Wire, item: unknown, index: unknown): void {
  const status = readProperty(item, 'status');
  if (status === 'incomplete') wire.word = 'incomplete';
  const content = readProperty(item, 'content');
  // a search of the provider's own may fail and the answer be good
  if (readProperty(item, 'type') !== 'message') return;
  if (status === 'failed' || status === 'cancelled') wire.words.add(status);
  if (!isArray(content)) return;
  if (content.some((part) => readProperty(part, 'type') === 'refusal')) wire.words.add('refusal');
  const texts = content.map((part) => readProperty(part, 'text'));
  const text = texts.filter((one) => typeof one === 'string').join('');
  if (typeof index === 'number') wire.texts.set(index, text);
}

/** The text as it came in pieces, unless what was told at the end has more of it. */
export function wholeText({ texts }: Wire, heard: string): string {
  const told = [...texts].toSorted(([one], [other]) => one - other).map(([, text]) => text);
  const whole = told.join('');
  return whole.length > heard.length ? whole : heard;
}

/** Whether a message came in pieces that are no part of what it was when it was done. */
export function isContradicted({ texts, pieces }: Wire): boolean {
  return [...texts].some(([index, text]) => !isLeftOf(pieces.get(index) ?? '', text));
}

/** Whether the one is the other, or what is left of it when something gets lost. */
function isLeftOf(pieces: string, whole: string): boolean {
  const left = pieces.trimEnd();
  let at = 0;
  for (let next = 0; next < left.length; next++) {
    at = whole.indexOf(left.charAt(next), at) + 1;
    if (at === 0) return false;
  }
  return true;
}
