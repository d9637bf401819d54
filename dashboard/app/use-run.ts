/**
 * A run while a person looks at it: loaded once, followed by its stream, and folded event by event.
 */
import { useSignalEffect } from '@preact/signals';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Attention } from '../../src/history/attention.ts';
import type { FailureHistory } from '../../src/history/failure-history.ts';
import type { GraphLayout } from '../../src/history/graph-layout/layout.ts';
import type { ViewEvent } from '../../src/history/run-view.ts';
import { addSteps, viewFromJson } from '../../src/history/run-view/sent-view.ts';
import type { RunMoves, SourceFile } from '../../src/history/run-page.ts';
import type { RunView } from '../../src/history/run-view/view.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import type { ShownProblem } from '../../src/server/http/problem-response.ts';
import { isByReply, lastReply, openFailures } from '../view/run/open-failures.ts';
import type { RunPageData } from '../view/run/page-data.ts';
import type { WorkflowData } from '../view/workflow-data.ts';
import { freshness, noteAway, read, v1, withQuery } from './api.ts';
import { followRun } from './follow-run.ts';
import { isHidden } from './hidden-tab.ts';
import { problemOf, useThrottled } from './hooks.ts';
import { announce, announcedOf, countQuestionsSoon } from './live.ts';

/** Events after which other moves may be possible. */
const MOVING = /^(?:run|gate):|^(?:node|effect):failed$|^node:retrying$|^budget:/;
const MOVES_AFTER_MS = 250;

function isMoving(event: ViewEvent, attention: Attention | undefined): boolean {
  // the next call has begun
  if (event.type === 'effect:requested') return attention === 'retrying';
  // the route of a success opens and closes nothing
  if (event.type === 'route:taken') return event.kind !== undefined;
  return MOVING.test(event.type);
}

/** The moves arrive first; folding a long log takes a moment. */
interface Loaded {
  readonly moves: RunMoves;
  readonly layout?: GraphLayout;
  readonly view?: RunView;
}

type WholeAnswer = RunMoves & { readonly layout: GraphLayout; readonly view: unknown };

export interface FollowedRun {
  readonly page: RunPageData | undefined;
  readonly problem: ShownProblem | undefined;
  /** Reads the moves again. */
  readonly refresh: () => Promise<void>;
  /** Loads the omitted steps of a long run. */
  readonly loadSteps: () => Promise<void>;
}

export function useRun(run: string, step: string | undefined): FollowedRun {
  const [loaded, setLoaded] = useState<Loaded | undefined>(undefined);
  const [problem, setProblem] = useState<ShownProblem | undefined>(undefined);
  const refresh = useCallback(async () => {
    const moves = await quietly(() => read<RunMoves>(v1('runs', run, 'moves')));
    if (moves !== undefined) setLoaded((before) => ({ ...before, moves }));
  }, [run]);
  const refreshSoon = useThrottled(() => void refresh(), MOVES_AFTER_MS);
  const attention = useRef<Attention | undefined>(undefined);
  attention.current = loaded?.moves.attention;
  const fold = useFolding(setLoaded, (event) => {
    if (isMoving(event, attention.current)) refreshSoon();
  });
  const load = useCallback(async (): Promise<number | undefined> => {
    void refresh();
    try {
      const { layout, view: sent, ...moves } = await read<WholeAnswer>(v1('runs', run, 'view'));
      const view = viewFromJson(sent);
      setProblem(undefined);
      setLoaded({ moves, layout, view });
      return view.seq;
    } catch (thrown) {
      setProblem(problemOf(thrown));
      return undefined;
    }
  }, [run]);
  const loadSteps = useCallback(() => addAllSteps(run, setLoaded), [run]);
  useFollowing(run, load, fold, refreshSoon);
  useLeftOutStep(step, loaded?.view, loadSteps);
  const life = useLife(run, loaded);
  const source = useSource(loaded === undefined ? undefined : failedWorkflow(loaded));
  const reply = useReply(run, loaded);
  const stepEvents = useStepEvents(run, step, loaded?.view);
  useAnnouncements(loaded);
  const { moves, layout, view } = loaded ?? {};
  const page =
    moves === undefined
      ? undefined
      : { ...moves, layout, view, life, source, reply, step, stepEvents };
  return { page, problem, refresh, loadSteps };
}

/** The address may name a step that the view omitted. */
function useLeftOutStep(
  step: string | undefined,
  view: RunView | undefined,
  loadSteps: () => Promise<void>,
): void {
  const isLeftOut =
    step !== undefined && view?.leftOut !== undefined && view.places.get(step) === undefined;
  useEffect(() => {
    // a step that cannot be read stays omitted, and its button remains
    if (isLeftOut) loadSteps().catch(() => undefined);
  }, [isLeftOut, loadSteps]);
}

type SetLoaded = (change: (before: Loaded | undefined) => Loaded | undefined) => void;

async function addAllSteps(run: string, setLoaded: SetLoaded): Promise<void> {
  let after: number | undefined = 0;
  while (after !== undefined) {
    const path = withQuery(v1('runs', run, 'steps'), { after: String(after), limit: '1000' });
    const page: { readonly steps: readonly unknown[]; readonly next?: number } = await read(path);
    setLoaded((before) =>
      before?.view === undefined ? before : { ...before, view: addSteps(before.view, page.steps) },
    );
    after = page.next;
  }
}

/** Nobody reads faster, and a run of thousands of events would keep the browser busy. */
const DRAW_EVERY_MS = 150;

/** Folds and draws events together, however many came; the first after a pause at once. */
function useFolding(
  setLoaded: SetLoaded,
  noted: (event: ViewEvent) => void,
): (event: ViewEvent) => void {
  const waiting = useRef<ViewEvent[]>([]);
  const drawnAtMs = useRef(-Infinity);
  const draw = useCallback(async () => {
    const fold = await loadFold();
    drawnAtMs.current = performance.now();
    const events = waiting.current;
    waiting.current = [];
    setLoaded((before) =>
      before?.view === undefined || fold === undefined
        ? before
        : { ...before, view: fold(before.view, events) },
    );
  }, []);
  return useCallback((event) => {
    waiting.current.push(event);
    noted(event);
    if (waiting.current.length > 1) return;
    const sinceMs = performance.now() - drawnAtMs.current;
    setTimeout(() => void draw(), Math.max(0, DRAW_EVERY_MS - sinceMs));
  }, []);
}

/**
 * The reducer arrives with the first event: a run that rests needs none, and its page already shows
 * more than any other. Undefined if it did not arrive: the run is loaded whole when the server is
 * back.
 */
async function loadFold() {
  try {
    return (await import('../../src/history/run-view.ts')).foldView;
  } catch {
    noteAway();
    return undefined;
  }
}

/** Loads, then follows from the last event; when the stream ends, waits for a resume. */
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
  useEffect(() => followRun({ run, load, fold, moved, isLookedAt }), [run, turn, load, isLookedAt]);
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

/**
 * Empty if no failure is open: histories need the whole log, and a page without a failure shows
 * none.
 */
function failureKey({ moves, view }: Loaded): string {
  const { status, seq } = moves;
  // the failures that a running run waits with change with every attempt
  const open = openFailures(status === 'running' ? moves : { ...moves, view });
  const ids = open.map(({ id }) => id);
  return (status === 'paused' && ids.length > 0 ? [...ids, seq] : ids).join(' ');
}

/** A failure may point to the file of a called workflow. */
function failedWorkflow({ moves, view }: Loaded): string | undefined {
  const [first] = openFailures({ ...moves, view });
  const workflow = first?.location?.workflow ?? moves.workflow;
  const isServed = workflow !== moves.workflow || moves.resumeObstacle !== 'not_served';
  return isServed ? workflow : undefined;
}

/** The current file, for the lines that failed. */
function useSource(workflow: string | undefined): SourceFile | undefined {
  const [source, setSource] = useState<SourceFile | undefined>(undefined);
  useEffect(() => {
    if (workflow === undefined) return;
    void quietly(() => read<WorkflowData>(v1('workflows', workflow))).then((answer) => {
      if (answer !== undefined) setSource({ file: answer.file, lines: answer.text.split('\n') });
    });
  }, [workflow]);
  return source;
}

/** The reply of the model, if its form is the failure. */
function useReply(run: string, loaded: Loaded | undefined): unknown {
  const [found, setFound] = useState<{ readonly id: string; readonly reply: unknown } | undefined>(
    undefined,
  );
  const first = loaded && openFailures({ ...loaded.moves, view: loaded.view })[0];
  const [id, path] =
    first !== undefined && isByReply(first) ? [first.id, first.location?.path] : [];
  useEffect(() => {
    if (id === undefined || path === undefined) return;
    const address = withQuery(v1('runs', run, 'events'), {
      path,
      type: 'effect:succeeded',
      limit: '1000',
    });
    void quietly(() =>
      read<{ readonly events: readonly RunEvent[]; readonly next?: number }>(address),
    ).then((answer) => {
      // with more than one page the last one is unknown
      if (answer !== undefined && answer.next === undefined)
        setFound({ id, reply: lastReply(answer.events, path) });
    });
  }, [run, id, path]);
  return found?.id === id ? found?.reply : undefined;
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

/** The page of a run announces that run itself. */
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
      failed: `${workflow} failed: ${moves.error?.kind ?? view?.error?.kind ?? ''}`,
      asks: `${workflow} asks: ${moves.questions[0]?.gate ?? view?.waiting?.reason ?? 'a person'}`,
      completed: `${workflow} completed`,
      none: '',
    }[what];
    // the page shows the state at its opening
    announce(run, what, () => (isFirst.current ? '' : text));
    isFirst.current = false;
    countQuestionsSoon();
  }, [status, attention]);
}

/** Undefined if the server refuses or is away; the page has said so already. */
async function quietly<T>(load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load();
  } catch (thrown) {
    problemOf(thrown);
    return undefined;
  }
}
