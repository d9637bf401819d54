/**
 * What OpenAI's Responses say on the wire and the SDK does not hand on: the status of the whole and of
 * its parts, and the text of a part when it is done, which counts where a piece of it got lost.
 */
import { isArray, readProperty } from '../../errors/json.ts';

/** Of a stream while it comes in. */
export interface Wire {
  /** How the provider itself calls the end. */
  word?: string;
  /** Texts of messages that are done, by their number. */
  readonly texts: Map<number, string>;
}

export function newWire(): Wire {
  return { texts: new Map() };
}

const ENDS = /^response\.(completed|incomplete|failed)$/;

export function noteWire(wire: Wire, event: unknown): void {
  const type = readProperty(event, 'type');
  if (typeof type !== 'string') return;
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
  const items = readProperty(response, 'output');
  if (isArray(items)) for (const [index, item] of items.entries()) noteItem(wire, item, index);
}

function noteItem(wire: Wire, item: unknown, index: unknown): void {
  if (readProperty(item, 'status') === 'incomplete') wire.word = 'incomplete';
  const content = readProperty(item, 'content');
  if (readProperty(item, 'type') !== 'message' || !isArray(content)) return;
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
