/** Reads a stream of server-sent events as a browser does. */
import type { Served } from './served.ts';

export interface SeenEvent {
  readonly id?: number;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

export interface Reading {
  readonly status: number;
  readonly headers: Headers;
  /** The comments and fields that belong to no event. */
  readonly other: string[];
  readonly events: AsyncGenerator<SeenEvent, void, undefined>;
  readonly close: () => void;
}

export async function follow(
  served: Served,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reading> {
  const left = new AbortController();
  const response = await served.fetch(path, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: left.signal,
  });
  const other: string[] = [];
  return {
    status: response.status,
    headers: response.headers,
    other,
    events: eventsIn(response, other),
    close: () => left.abort(),
  };
}

async function* eventsIn(
  response: Response,
  other: string[],
): AsyncGenerator<SeenEvent, void, undefined> {
  if (response.body === null) return;
  let rest = '';
  try {
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      rest += part;
      const frames = rest.split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const event = eventOf(frame);
        if (event === undefined) other.push(frame);
        else yield event;
      }
    }
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
  }
}

function eventOf(frame: string): SeenEvent | undefined {
  const fields = new Map(
    frame.split('\n').map((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)] as const;
    }),
  );
  const data = fields.get('data');
  const id = fields.get('id');
  if (data === undefined) return undefined;
  return {
    event: fields.get('event') ?? 'message',
    data: JSON.parse(data) as Record<string, unknown>,
    ...(id === undefined ? {} : { id: Number(id) }),
  };
}

/** All events to the end of the stream. */
export async function readAll(reading: Reading): Promise<SeenEvent[]> {
  const seen: SeenEvent[] = [];
  for await (const event of reading.events) seen.push(event);
  return seen;
}

/** Reads the first stored events, then cuts the connection. */
export async function readSome(reading: Reading, most: number): Promise<SeenEvent[]> {
  const seen: SeenEvent[] = [];
  if (most > 0)
    for await (const event of reading.events) {
      if (event.id !== undefined) seen.push(event);
      if (seen.length >= most) break;
    }
  reading.close();
  return seen;
}
