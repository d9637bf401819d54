/**
 * Follows a run: loads it, then receives the events after the last one; when its stream ends, it
 * waits for a resume.
 */
import type { ViewEvent } from '../../src/history/run-view.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import { isSignedOut, v1, withQuery } from './api.ts';
import { openStream } from './event-stream.ts';
import type { RunChange } from './live.ts';

const REOPEN_MS = 1000;
/** A hidden tab shows only its title, so it polls now and then without a stream. */
const HIDDEN_RELOAD_MS = 15_000;

interface Chunk {
  readonly path: string;
  readonly attempt: number;
  readonly text: string;
}

export interface FollowOptions {
  readonly run: string;
  /** Resolves to the number of the last known event; undefined if the server refused. */
  readonly load: () => Promise<number | undefined>;
  readonly fold: (event: ViewEvent) => void;
  /** Called if other moves may be possible now. */
  readonly moved: () => void;
  /** Whether the tab is visible. */
  readonly isLookedAt: boolean;
}

/** Returns the function that ends it. */
export function followRun({ run, load, fold, moved, isLookedAt }: FollowOptions): () => void {
  let close: (() => void) | undefined;
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  const again = (next: () => void): void => {
    close?.();
    if (!isOver && !isSignedOut.peek()) timer = setTimeout(next, REOPEN_MS);
  };
  const take = (data: unknown): void => {
    // the server wrote it in the form of the reducer
    const event = data as RunEvent;
    last = Math.max(last, event.seq);
    fold(event);
    // omitted steps may start again
    if (event.type === 'run:resumed') void load();
  };
  // nothing follows until the run resumes, which the stream of all runs announces
  const ended = (): void => {
    close?.();
    moved();
    watch();
  };
  function follow(): void {
    if (isOver) return;
    close = openStream(withQuery(v1('runs', run, 'events'), { after: String(last) }), {
      take: ({ name, data }) => {
        if (name === 'chunk' || name === 'chunk.retracted')
          fold({ type: name, ...(data as Chunk) });
        else if (name === 'end') ended();
        else if (name === 'problem') again(follow);
        // stored events have the names of their types
        else if (name.includes(':')) take(data);
      },
      // it has ended before, or there is no session: reading the moves shows which
      closed: ended,
    });
  }
  function watch(): void {
    close = openStream(v1('events'), {
      take: ({ name, data }) => {
        const change = data as RunChange;
        if (name !== 'run' || change.run !== run || change.seq <= last) return;
        close?.();
        follow();
      },
      closed: () => again(watch),
    });
  }
  const begin = async (): Promise<void> => {
    const seq = await load();
    if (seq === undefined || isOver) return;
    last = seq;
    if (isLookedAt) follow();
    else timer = setTimeout(() => void begin(), HIDDEN_RELOAD_MS);
  };
  void begin();
  return () => {
    isOver = true;
    clearTimeout(timer);
    close?.();
  };
}
