/**
 * Follows all runs: the stream of changes, the announcements of them, and the number of open
 * questions.
 */
import { effect, signal } from '@preact/signals';
import type { Attention } from '../../src/history/attention.ts';
import type { RunMoves } from '../../src/history/run-page.ts';
import type { RunStatusName } from '../../src/machine/ports/store-port.ts';
import { freshness, isSignedOut, read, v1, withQuery } from './api.ts';
import { openStream } from './event-stream.ts';
import { isHidden } from './hidden-tab.ts';
import { address } from './navigation.ts';

export interface RunChange {
  readonly run: string;
  readonly workflow: string;
  readonly seq: number;
  readonly status: RunStatusName;
  readonly attention: Attention;
}

/** The last sentence of the live region. */
export const announcement = signal('');
/** The latest change of any run. */
export const lastChange = signal<RunChange | undefined>(undefined);
/** The number of open questions; undefined until it is known. */
export const openQuestions = signal<{ readonly count: number; readonly more: boolean } | undefined>(
  undefined,
);

type Announced = 'failed' | 'asks' | 'completed';

const announced = new Map<string, Announced | 'none'>();

/** Says once that a run failed, asks or completed. */
export function announce(
  run: string,
  what: Announced | 'none',
  words: () => Promise<string> | string,
): void {
  if (announced.get(run) === what) return;
  announced.set(run, what);
  if (what === 'none') return;
  void Promise.resolve(words()).then(
    (text) => {
      announcement.value = text;
    },
    () => {
      // the page of the run itself shows its state
    },
  );
}

/** The announcement for a run in this state. */
export function announcedOf({
  status,
  attention,
}: Pick<RunChange, 'status' | 'attention'>): Announced | 'none' {
  if (status === 'failed' || status === 'completed') return status;
  return attention === 'waiting_person' || attention === 'in_doubt' ? 'asks' : 'none';
}

async function words(change: RunChange, what: Announced): Promise<string> {
  const { run, workflow } = change;
  if (what === 'completed') return `${workflow} completed`;
  const { error, questions } = await read<RunMoves>(v1('runs', run, 'moves'));
  if (what === 'failed') return `${workflow} failed: ${error?.kind ?? 'unknown'}`;
  return `${workflow} asks: ${questions[0]?.gate ?? 'a person'}`;
}

function noteChange(change: RunChange): void {
  lastChange.value = change;
  countQuestionsSoon();
  const what = announcedOf(change);
  announce(change.run, what, () => (what === 'none' ? '' : words(change, what)));
}

const SOON_MS = 300;
let counting: ReturnType<typeof setTimeout> | undefined;

export function countQuestionsSoon(): void {
  counting ??= setTimeout(() => {
    counting = undefined;
    void countQuestions();
  }, SOON_MS);
}

async function countQuestions(): Promise<void> {
  if (isSignedOut.value) return;
  try {
    const { gates, next } = await read<{
      readonly gates: readonly unknown[];
      readonly next?: string;
    }>(withQuery(v1('gates'), { limit: '200' }));
    openQuestions.value = { count: gates.length, more: next !== undefined };
  } catch {
    // the page itself reports a refusal or a server that is away
    openQuestions.value = undefined;
  }
}

const REOPEN_MS = 1000;

/**
 * Follows all runs, except on the page of a run: that page follows its own run, and a browser has
 * few connections.
 */
export function followAllRuns(): void {
  let close: (() => void) | undefined;
  const open = (): void => {
    close = openStream(v1('events'), {
      take: ({ name, data }) => {
        if (name === 'run') noteChange(data as RunChange);
      },
      closed: () => {
        close = undefined;
        setTimeout(() => {
          if (close === undefined && isWanted()) open();
        }, REOPEN_MS);
      },
    });
  };
  const isWanted = (): boolean =>
    address.value.page !== 'run' && !isSignedOut.value && !isHidden.value;
  effect(() => {
    const wanted = isWanted();
    if (wanted && close === undefined) open();
    if (!wanted) {
      close?.();
      close = undefined;
    }
  });
  effect(() => {
    // read again whenever everything else is
    if (freshness.value >= 0) countQuestionsSoon();
  });
}
