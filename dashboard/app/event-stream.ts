/**
 * A stream of the server (SSE). It connects again by itself with the number of the last event, so nothing
 * is lost or doubled; where the browser gives up, the caller looks what has become of the run.
 */
import { isAway, noteAway } from './api.ts';

export interface StreamHandlers {
  /** Called with each event that is named. */
  readonly on: Readonly<Record<string, (data: unknown) => void>>;
  /** The server has closed it for good, or does not let us in. */
  readonly closed: () => void;
}

/** Returns what closes it. */
export function openStream(path: string, { on, closed }: StreamHandlers): () => void {
  const source = new EventSource(path, { withCredentials: true });
  let isOver = false;
  const close = (): void => {
    isOver = true;
    source.close();
  };
  for (const [name, handle] of Object.entries(on))
    source.addEventListener(name, (event: MessageEvent<string>) => {
      if (!isOver) handle(JSON.parse(event.data) as unknown);
    });
  source.addEventListener('error', () => {
    if (isOver) return;
    if (source.readyState === EventSource.CLOSED) {
      close();
      closed();
    } else noteAway();
  });
  source.addEventListener('open', () => {
    if (!isOver) isAway.value = false;
  });
  return close;
}
