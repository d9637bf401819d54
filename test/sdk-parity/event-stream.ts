/** AWS event-stream frames, made by the codec of the AWS SDK itself. */
import { loadCommon } from './install.ts';
import type { Played } from './protocol.ts';

type Headers = Readonly<Record<string, string>>;

export function encodeFrame(headers: Headers, body: string): Buffer {
  const { EventStreamCodec } = loadCommon('@smithy/eventstream-codec');
  const { toUtf8, fromUtf8 } = loadCommon('@smithy/util-utf8');
  const codec = new EventStreamCodec(toUtf8, fromUtf8);
  const typed = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, { type: 'string', value }]),
  );
  return Buffer.from(codec.encode({ headers: typed, body: new TextEncoder().encode(body) }));
}

/** A part of an answer in the events of the operation. */
export function textFrames(api: string): readonly Buffer[] {
  if (api.startsWith('InvokeModel')) {
    const bytes = Buffer.from(JSON.stringify({ completion: 'Once' })).toString('base64');
    return [event('chunk', { bytes })];
  }
  return [
    event('messageStart', { role: 'assistant' }),
    event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Once' } }),
  ];
}

function event(type: string, body: object): Buffer {
  return encodeFrame(
    { ':message-type': 'event', ':event-type': type, ':content-type': 'application/json' },
    JSON.stringify(body),
  );
}

/** The exception of an entry; one entry keeps it as Python printed it. */
export function exceptionFrame(entry: Played): Buffer | undefined {
  const printed = typeof entry.body === 'string' ? entry.body : '';
  const type = entry.headers[':exception-type'] ?? /':exception-type': '(\w+)'/.exec(printed)?.[1];
  if (type === undefined) return undefined;
  const body = /'body': b'([^']*)'/.exec(printed)?.[1] ?? JSON.stringify(entry.body);
  return encodeFrame(
    { ':message-type': 'exception', ':exception-type': type, ':content-type': 'application/json' },
    body,
  );
}
