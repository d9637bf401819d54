/** A run while it is looked at: loaded once, followed by its stream, and folded event by event. */
import { useSignalEffect } from '@preact/signals';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { FailureHistory } from '../../src/history/failure-history.ts';
import { foldView, type ViewEvent } from '../../src/history/run-view.ts';
import { viewFromJson } from '../../src/history/run-view/wire.ts';
import type { RunView } from '../../src/history/run-view/view.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import type { ShownProblem } from '../../src/server/http/problem.ts';
import type { RunMoves, RunPageData } from '../view/run/page-data.ts';
import type { WorkflowData } from '../view/workflow-data.ts';
import { freshness, isSignedOut, read, v1, withQuery } from './api.ts';
import { openStream } from './event-stream.ts';
import { isHidden } from './hidden-tab.ts';
import { problemOf, useThrottled } from './hooks.ts';
import { announce, announcedOf, countQuestionsSoon } from './live.ts';

const EVENT_TYPES = [
  'run:started',
  'run:paused',
  'run:resumed',
  'run:completed',
  'run:failed',
  'run:cancelled',
  'node:started',
  'node:completed',
  'node:failed',
  'node:retrying',
  'node:skipped',
  'route:taken',
  'effect:requested',
  'effect:succeeded',
  'effect:failed',
  'gate:opened',
  'gate:answered',
  'gate:expired',
  'child:started',
  'child:ended',
  'breaker:changed',
  'budget:warning',
  'budget:paused',
  'error:suppressed',
] as const satisfies readonly RunEvent['type'][];

/** Events after which other moves may be possible. */
const MOVING = /^(?:run|gate):|^node:failed$|^node:retrying$|^route:taken$|^budget:/;
const MOVES_AFTER_MS = 250;
const REOPEN_MS = 1000;
/** Out of sight only its title is seen. */
const LOOK_EVERY_MS = 15_000;

interface Loaded {
  readonly moves: RunMoves;
  readonly graph: RunPageData['graph'];
  readonly view: RunView;
}

export interface FollowedRun {
  readonly page: RunPageData | undefined;
  readonly problem: ShownProblem | undefined;
  /** Reads the moves again. */
  readonly refresh: () => Promise<void>;
}

export function useRun(run: string, step: string | undefined): FollowedRun {
  const [loaded, setLoaded] = useState<Loaded | undefined>(undefined);
  const [problem, setProblem] = useState<ShownProblem | undefined>(undefined);
  const refresh = useCallback(async () => {
    const moves = await quietly(() => read<RunMoves>(v1('runs', run, 'moves')));
    if (moves !== undefined)
      setLoaded((before) => (before === undefined ? before : { ...before, moves }));
  }, [run]);
  const refreshSoon = useThrottled(() => void refresh(), MOVES_AFTER_MS);
  const fold = useFolding(setLoaded, refreshSoon);
  const load = useCallback(async (): Promise<number | undefined> => {
    try {
      const answer = await read<
        RunMoves & { readonly graph: RunPageData['graph']; readonly view: unknown }
      >(v1('runs', run, 'view'));
      const { graph, view, ...moves } = answer;
      setProblem(undefined);
      setLoaded({ moves, graph, view: viewFromJson(view) });
      return answer.seq;
    } catch (thrown) {
      setProblem(problemOf(thrown));
      return undefined;
    }
  }, [run]);
  useFollowing(run, load, fold, refreshSoon);
  const life = useLife(run, loaded);
  const source = useSource(loaded?.moves.workflow);
  const stepEvents = useStepEvents(run, step, loaded?.view);
  useAnnouncements(loaded);
  const page =
    loaded === undefined
      ? undefined
      : { ...loaded.moves, graph: loaded.graph, view: loaded.view, life, source, step, stepEvents };
  return { page, problem, refresh };
}

/** Events are folded once a frame, however many came. */
function useFolding(
  setLoaded: (change: (before: Loaded | undefined) => Loaded | undefined) => void,
  moved: () => void,
): (event: ViewEvent) => void {
  const waiting = useRef<ViewEvent[]>([]);
  const frame = useRef<number | undefined>(undefined);
  return useCallback((event) => {
    waiting.current.push(event);
    if (MOVING.test(event.type)) moved();
    frame.current ??= requestAnimationFrame(() => {
      frame.current = undefined;
      const events = waiting.current;
      waiting.current = [];
      setLoaded((before) =>
        before === undefined ? before : { ...before, view: foldView(before.view, events) },
      );
    });
  }, []);
}

/** Loads, then follows from the last event on; where the stream ends, it waits for a resume. */
function useFollowing(
  run: string,
  load: () => Promise<number | undefined>,
  fold: (event: ViewEvent) => void,
  moved: () => void,
): void {
  const [turn, setTurn] = useState(0);
  const seen = useRef(freshness.peek());
  useSignalEffect(() => {
    if (freshness.value === seen.current) return;
    seen.current = freshness.value;
    setTurn((before) => before + 1);
  });
  const isLookedAt = !isHidden.value;
  useEffect(() => {
    let close: (() => void) | undefined;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = 0;
    const again = (): void => {
      if (!isOver && !isSignedOut.peek()) timer = setTimeout(follow, REOPEN_MS);
    };
    const event = (data: unknown): void => {
      // written by the server as the reducer takes it
      const next = data as RunEvent;
      last = Math.max(last, next.seq);
      fold(next);
    };
    const follow = (): void => {
      if (isOver) return;
      close = openStream(withQuery(v1('runs', run, 'events'), { after: String(last) }), {
        on: {
          ...Object.fromEntries(EVENT_TYPES.map((type) => [type, event])),
          chunk: (data) => fold({ type: 'chunk', ...(data as Chunk) }),
          'chunk.retracted': (data) => fold({ type: 'chunk.retracted', ...(data as Chunk) }),
          end: () => {
            close?.();
            moved();
            again();
          },
          problem: () => {
            close?.();
            again();
          },
        },
        closed: () => {
          // nothing new yet, or no session: reading the moves says which
          moved();
          again();
        },
      });
    };
    const begin = async (): Promise<void> => {
      const seq = await load();
      if (seq === undefined || isOver) return;
      last = seq;
      if (isLookedAt) follow();
      else timer = setTimeout(() => void begin(), LOOK_EVERY_MS);
    };
    void begin();
    return () => {
      isOver = true;
      clearTimeout(timer);
      close?.();
    };
  }, [run, turn, load, isLookedAt]);
}

interface Chunk {
  readonly path: string;
  readonly attempt: number;
  readonly text: string;
}

/** The histories of failures, read again when the open ones change. */
function useLife(run: string, loaded: Loaded | undefined): readonly FailureHistory[] | undefined {
  const [life, setLife] = useState<readonly FailureHistory[] | undefined>(undefined);
  const key = loaded === undefined ? '' : failureKey(loaded);
  useEffect(() => {
    if (key === '') return;
    void quietly(() =>
      read<{ readonly life: readonly FailureHistory[] }>(v1('runs', run, 'explain')),
    ).then((answer) => {
      if (answer !== undefined) setLife(answer.life);
    });
  }, [run, key]);
  return life;
}

function failureKey({ view, moves }: Loaded): string {
  const asked = moves.questions.map(({ error }) => error?.id ?? '').join(' ');
  const waiting = view.status === 'paused' ? String(view.seq) : '';
  return [view.error?.id ?? '', asked.trim(), waiting].join(' ').trim();
}

/** The lines of the file as it is now, for those that failed. */
function useSource(workflow: string | undefined): readonly string[] | undefined {
  const [source, setSource] = useState<readonly string[] | undefined>(undefined);
  useEffect(() => {
    if (workflow === undefined) return;
    void quietly(() => read<WorkflowData>(v1('workflows', workflow))).then((answer) => {
      if (answer !== undefined) setSource(answer.text.split('\n'));
    });
  }, [workflow]);
  return source;
}

function useStepEvents(
  run: string,
  step: string | undefined,
  view: RunView | undefined,
): readonly RunEvent[] | undefined {
  const [found, setFound] = useState<
    { readonly step: string; readonly events: readonly RunEvent[] } | undefined
  >(undefined);
  const shown = step === undefined ? undefined : view?.steps.find(({ path }) => path === step);
  const [first, last] = [shown?.firstSeq, shown?.lastSeq];
  useEffect(() => {
    if (step === undefined || first === undefined) return;
    const path = withQuery(v1('runs', run, 'events'), {
      path: step,
      after: String(first - 1),
      limit: '1000',
    });
    void quietly(() => read<{ readonly events: readonly RunEvent[] }>(path)).then((answer) => {
      if (answer !== undefined) setFound({ step, events: answer.events });
    });
  }, [run, step, first, last]);
  return found?.step === step ? found?.events : undefined;
}

/** On its own page a run announces itself. */
function useAnnouncements(loaded: Loaded | undefined): void {
  const isFirst = useRef(true);
  const { status, attention, run, workflow } = loaded?.moves ?? {};
  useEffect(() => {
    if (
      loaded === undefined ||
      run === undefined ||
      status === undefined ||
      attention === undefined
    )
      return;
    const what = announcedOf({ status, attention });
    const { view, moves } = loaded;
    const text = {
      failed: `${workflow} failed: ${view.error?.kind ?? ''}`,
      asks: `${workflow} asks: ${moves.questions[0]?.gate ?? view.waiting?.reason ?? 'a person'}`,
      completed: `${workflow} completed`,
      none: '',
    }[what];
    // what it is when the page opens is on the page
    announce(run, what, () => (isFirst.current ? '' : text));
    isFirst.current = false;
    countQuestionsSoon();
  }, [status, attention]);
}

/** Undefined where it is refused or the server is away; the page has said so already. */
async function quietly<T>(load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load();
  } catch (thrown) {
    problemOf(thrown);
    return undefined;
  }
}
