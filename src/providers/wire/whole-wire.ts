/**
 * The facts of a whole answer that the SDK drops, read as those of a stream: the body becomes the
 * events in which a stream would have sent the same answer.
 */
import { isArray, isPlainObject, readProperty } from '../../errors/support/safe-json.ts';
import { newWireRecord, noteWire, type WireRecord } from './wire-events.ts';

type Fields = Readonly<Record<string, unknown>>;

export function wireOfWhole(body: unknown): WireRecord {
  const wire = newWireRecord();
  if (isPlainObject(body)) for (const event of eventsOf(body)) noteWire(wire, event);
  return wire;
}

function eventsOf(body: Fields): readonly unknown[] {
  const { choices, output, type, stop_reason, stop_details } = body;
  if (isArray(choices)) return [{ ...body, choices: choices.map(asPiece) }];
  if (isArray(output)) return responseEvents(body, output);
  if (type !== 'message') return [body];
  return [{ type: 'message_delta', delta: { stop_reason, stop_details } }];
}

function asPiece(choice: unknown): unknown {
  return isPlainObject(choice) ? { ...choice, delta: readProperty(choice, 'message') } : choice;
}

function responseEvents(body: Fields, output: readonly unknown[]): readonly unknown[] {
  const items = output.map((item, index) => ({
    type: 'response.output_item.done',
    output_index: index,
    item,
  }));
  return [...items, { type: 'response.completed', response: body }];
}
