/**
 * Reads the first event of a stream before the SDK does. Anthropic's SDK reads that event
 * separately, drops it if it cannot, and throws an error without its content. Other SDKs pass such
 * an event on.
 */
import { isPlainObject, readProperty } from '../../../errors/support/safe-json.ts';
import type { ModelRef } from '../../../providers/own-findings.ts';
import type { ByteReader, Bytes } from './byte-reader.ts';
import { AnswerWithoutEvents } from './response-without-events.ts';
import { newWireRecord, noteWire } from '../../../providers/wire/wire-events.ts';

/** A longer first event is left to the SDK. */
const MAX_CHARS = 64 * 1024;

const EVENTS = /^text\/event-stream\b/i;

/** Reads the body for the SDK; reading ends with the failure where the first event is one. */
export function withReadableStart(
  reader: ByteReader,
  { ok, status, headers }: Response,
  { provider }: ModelRef,
): ByteReader {
  const isLabelled = EVENTS.test(headers.get('content-type') ?? '');
  if (provider !== 'anthropic' || !ok || !isLabelled) return reader;
  const decoder = new TextDecoder();
  let begun: string | undefined = '';
  const look = (text: string, isWhole: boolean): void => {
    if (begun === undefined) return;
    begun += text;
    const event = firstEventIn(begun, isWhole);
    if (event === undefined && begun.length <= MAX_CHARS) return;
    begun = undefined;
    const problem = event === undefined ? undefined : problemWith(event);
    if (problem === undefined) return;
    throw new AnswerWithoutEvents(
      problem.error === undefined
        ? { type: 'finish', finishReason: 'interrupted' }
        : {
            provider,
            status,
            headers: Object.fromEntries(headers),
            body: problem.error,
            transport: null,
          },
    );
  };
  const read = async (): Promise<Bytes | undefined> => {
    const bytes = await reader.read();
    if (bytes === undefined) look('', true);
    else if (begun !== undefined) look(decoder.decode(bytes, { stream: true }), false);
    return bytes;
  };
  const { cancel } = reader;
  return { read, cancel };
}

/** The data of the first event that has some and is no ping; undefined until it has come. */
function firstEventIn(text: string, isWhole: boolean): string | undefined {
  const blocks = text.replace(/^\ufeff/, '').split(/\r\n\r\n|\n\n|\r\r/);
  // the last one has no end yet
  for (const block of isWhole ? blocks : blocks.slice(0, -1)) {
    const data = block
      .split(/\r\n|\n|\r/)
      .flatMap((line) => /^data:? ?(?<data>.*)$/.exec(line)?.groups?.['data'] ?? [])
      .join('\n');
    if (data !== '' && readProperty(parsed(data), 'type') !== 'ping') return data;
  }
  return undefined;
}

const TYPES: ReadonlySet<unknown> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
]);

/**
 * Undefined for an event that the SDK reads; `error` if it is an error in the shape of another
 * host.
 */
function problemWith(data: string): { readonly error?: unknown } | undefined {
  const event = parsed(data);
  const type = readProperty(event, 'type');
  const isError = type === 'error' && isPlainObject(readProperty(event, 'error'));
  if (isError || TYPES.has(type)) return undefined;
  const wire = newWireRecord();
  noteWire(wire, event);
  return wire.error === undefined ? {} : { error: wire.error };
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    // not JSON, so no event of the protocol
    return undefined;
  }
}
