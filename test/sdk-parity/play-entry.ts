/** An entry of the corpus as bytes on a socket: status line, headers, body, or the frames of a stream. */
import type { ServerResponse } from 'node:http';
import { encodeFrame, exceptionFrame, textFrames } from './event-stream.ts';
import { BEGINNINGS, eventText, type Played, type Protocol } from './protocol.ts';
import type { Script } from './server.ts';

/** Headers of the connection rather than of the failure. */
const HOP_BY_HOP = /^(?:content-length|transfer-encoding|content-encoding|connection|:.*)$/;

export function scriptOf(entry: Played, protocol: Protocol): Script {
  return (response) => {
    // entries with reset moments bring the date from which they count
    response.sendDate = false;
    if (entry.stream !== false && protocol === 'bedrock') playFrames(response, entry);
    else if (entry.stream !== false) playEvents(response, entry, protocol);
    else playAnswer(response, entry);
  };
}

function playAnswer(response: ServerResponse, entry: Played): void {
  const body = textOf(entry.body);
  const type = typeof entry.body === 'string' ? textType(entry.body) : 'application/json';
  response.writeHead(entry.status ?? 500, headersOf(entry, type));
  response.end(body);
}

function playEvents(response: ServerResponse, entry: Played, protocol: Protocol): void {
  response.writeHead(entry.status ?? 200, headersOf(entry, 'text/event-stream'));
  // text is a whole recorded stream; an object is one event from its middle
  if (typeof entry.body === 'string') response.end(entry.body);
  else if (protocol !== 'bedrock')
    response.end(BEGINNINGS[protocol] + eventText(protocol, entry.body));
}

function playFrames(response: ServerResponse, entry: Played): void {
  response.writeHead(200, headersOf(entry, 'application/vnd.amazon.eventstream'));
  const beginning = textFrames(entry.api);
  const exception = exceptionFrame(entry);
  if (exception === undefined) {
    const whole = encodeFrame({ ':message-type': 'event', ':event-type': 'messageStop' }, '{}');
    response.end(Buffer.concat([...beginning, whole.subarray(0, whole.length - 9)]));
  } else response.end(Buffer.concat([...beginning, exception]));
}

function headersOf(entry: Played, contentType: string): Record<string, string> {
  const kept = Object.entries(entry.headers).filter(([name]) => !HOP_BY_HOP.test(name));
  return { 'content-type': contentType, ...Object.fromEntries(kept) };
}

function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  return body === null || body === undefined ? '' : JSON.stringify(body);
}

function textType(text: string): string {
  if (text.startsWith('<')) return 'text/html';
  return /^\s*[[{]/.test(text) ? 'application/json' : 'text/plain';
}
