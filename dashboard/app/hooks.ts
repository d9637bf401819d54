/**
 * Hooks that pages share: data that is reloaded when necessary, actions that happen once, the time.
 */
import { useSignalEffect } from '@preact/signals';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { ShownProblem } from '../../src/server/http/problem-response.ts';
import { freshness, isSignedOut, NO_ANSWER, Refusal, ServerAway } from './api.ts';

export interface Resource<T> {
  readonly data: T | undefined;
  /** The refusal of the last try. */
  readonly problem: ShownProblem | undefined;
  readonly reload: () => Promise<void>;
}

/**
 * Loads when `key` changes, and again after a sign-in or when the server is back; keeps the old
 * value meanwhile.
 */
export function useResource<T>(key: string, load: () => Promise<T>): Resource<T> {
  const [state, setState] = useState<{
    readonly key: string;
    readonly data?: T;
    readonly problem?: ShownProblem;
  }>({
    key,
  });
  const current = useRef({ key, load, turn: 0 });
  current.current.key = key;
  current.current.load = load;
  const reload = useCallback(async (): Promise<void> => {
    const turn = ++current.current.turn;
    const asked = current.current.key;
    const isLatest = (): boolean => turn === current.current.turn;
    try {
      const data = await current.current.load();
      if (isLatest()) setState({ key: asked, data });
    } catch (thrown) {
      const problem = problemOf(thrown);
      if (isLatest() && problem !== undefined && !isSignedOut.value)
        setState((before) => ({ ...(before.key === asked ? before : {}), key: asked, problem }));
    }
  }, []);
  useEffect(() => void reload(), [key, reload]);
  const seen = useRef(freshness.peek());
  useSignalEffect(() => {
    if (freshness.value === seen.current) return;
    seen.current = freshness.value;
    void reload();
  });
  const isOf = state.key === key;
  return { data: isOf ? state.data : undefined, problem: isOf ? state.problem : undefined, reload };
}

/** Undefined if the server is away: the live region says so, and the request is repeated. */
export function problemOf(thrown: unknown): ShownProblem | undefined {
  if (thrown instanceof Refusal) return thrown.problem;
  if (thrown instanceof ServerAway) return undefined;
  throw thrown;
}

export interface Action {
  readonly isBusy: boolean;
  readonly problem: ShownProblem | undefined;
  /** Does nothing while the previous action runs. Resolves to whether it was done. */
  readonly act: (work: () => Promise<void>) => Promise<boolean>;
  readonly clear: () => void;
}

/** Runs a double click only once. */
export function useAction(onRefused?: (problem: ShownProblem) => void): Action {
  const [state, setState] = useState<{ readonly isBusy: boolean; readonly problem?: ShownProblem }>(
    {
      isBusy: false,
    },
  );
  const isBusy = useRef(false);
  const refused = useRef(onRefused);
  refused.current = onRefused;
  const act = useCallback(async (work: () => Promise<void>): Promise<boolean> => {
    if (isBusy.current) return false;
    isBusy.current = true;
    setState({ isBusy: true });
    try {
      await work();
      setState({ isBusy: false });
      return true;
    } catch (thrown) {
      const problem = problemOf(thrown) ?? NO_ANSWER;
      setState({ isBusy: false, problem });
      refused.current?.(problem);
      return false;
    } finally {
      isBusy.current = false;
    }
  }, []);
  const clear = useCallback(() => setState({ isBusy: false }), []);
  return { isBusy: state.isBusy, problem: state.problem, act, clear };
}

/** The current time, updated at that interval. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** Calls at most once in that time, and once at its end if there were more calls. */
export function useThrottled(work: () => void, everyMs: number): () => void {
  const latest = useRef(work);
  latest.current = work;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, everyMs);
  }, [everyMs]);
}

/** Sets the title of the page; while the page asks for the token, the sign-in sets its own. */
export function useTitle(title: string): void {
  const isOut = isSignedOut.value;
  useEffect(() => {
    if (!isOut) document.title = title;
  }, [title, isOut]);
}
