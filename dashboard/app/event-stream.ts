/**
 * A stream of the server (SSE), read by hand: `EventSource` spends six times as much on each event,
 * which is most of the page's cost for a run of thousands. It reconnects by itself with the number
 * of the last event, so nothing is lost or doubled. If the server ends the stream for good, the
 * caller looks at the run again.
 */
import { isAway, noteAway } from './api.ts';
import { SseReader, type SseEvent } from './sse-reader.ts';

export interface StreamHandlers {
  /** Called with each event, in order of arrival. */
  readonly take: (event: SseEvent) => void;
  /** The server has closed it for good, or refuses this visitor. */
  readonly closed: () => void;
}

/** The delay that the server asks for. */
const RETRY_MS = 1000;

/** Returns the function that closes it. */
export function openStream(path: string, { take, closed }: StreamHandlers): () => void {
  const over = new AbortController();
  const { signal } = over;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastId = '';
  const reader = new SseReader((event) => {
    lastId = event.id;
    if (!signal.aborted) take(event);
  });
  const connect = async (): Promise<'closed' | 'cut'> => {
    const response = await fetch(path, {
      credentials: 'same-origin',
      cache: 'no-store',
      headers: {
        accept: 'text/event-stream',
        ...(lastId === '' ? {} : { 'last-event-id': lastId }),
      },
      signal,
    });
    if (response.status !== 200 || response.body === null) return 'closed';
    isAway.value = false;
    reader.begin();
    const bytes = response.body.getReader();
    for (;;) {
      const { done, value } = await bytes.read();
      if (done) return 'cut';
      reader.read(value);
    }
  };
  const follow = async (): Promise<void> => {
    const how = await connect().catch(() => 'cut' as const);
    if (signal.aborted) return;
    if (how === 'closed') closed();
    else {
      noteAway();
      timer = setTimeout(() => void follow(), RETRY_MS);
    }
  };
  void follow();
  return () => {
    clearTimeout(timer);
    over.abort();
  };
}
