/** A run is a fold over its events: the log alone gives the same decisions, from any commit on. */
import { matchesKind } from '../../errors/catalog/kinds.ts';
import { stoppedBeforeStart } from '../../machine/decide/end-run.ts';
import { evolve } from '../../machine/evolve/evolve.ts';
import type { EventBody, RunEvent } from '../../machine/state/events.ts';
import { newRunState, type RunState } from '../../machine/state/state.ts';
import { step } from '../../machine/decide/step.ts';
import { stoppedFor } from '../../machine/decide/stop-effects.ts';
import { nextTimerMs } from '../../machine/state/timer-heap.ts';
import { isType, type Law, type Subject } from './subject.ts';

/** I5 of `decide`, in every run. */
export const replaysTheSame: Law = {
  name: 'a replay of all that came from outside leads to the same commits',
  promise: 'the machine: same inputs, same history',
  breaches: (subject) => {
    const resumed = new Set(subject.legs.map(({ fromSeq }) => fromSeq));
    let leg = new Replay(() => newRunState(subject.run, subject.plan));
    let seq = 0;
    const moments = decidedBefore(subject);
    for (const events of commitsOf(subject)) {
      const before = seq;
      seq += events.length;
      if (before > 0 && resumed.has(before))
        leg = new Replay(() => foldAll(subject, subject.events.slice(0, before)));
      if (isKeptOnly(subject, events)) continue;
      const ways = waysOf(countGiven(events), cancelledBy(subject, events));
      const breach = leg.take({ events, moments, begun: begunBefore(subject, before) }, ways);
      if (breach !== undefined) return [breach];
    }
    return [];
  },
};

interface Commit {
  readonly events: readonly RunEvent[];
  /** When decisions were made that only a later commit records. */
  readonly moments: readonly number[];
  /** The keys of what was being executed by then. */
  readonly begun: ReadonlySet<string>;
}

/** Requested is not started: the store may have been slow to acknowledge the commit. */
function begunBefore({ events, executions }: Subject, seq: number): ReadonlySet<string> {
  const requested = new Map<string, number>();
  for (const event of events.slice(0, seq))
    if (event.type === 'effect:requested') requested.set(event.effect.key, event.seq);
  const begun = executions.filter(
    ({ effect, afterSeq }) =>
      afterSeq >= (requested.get(effect.key) ?? Infinity) && afterSeq <= seq,
  );
  return new Set(begun.map(({ effect }) => effect.key));
}

/**
 * An end waits for the effects that it stops: its report has the time of the decision, and the log
 * the time of the record.
 */
function decidedBefore({ events }: Subject): readonly number[] {
  const moments = events.flatMap((event) =>
    isType(event, 'node:failed', 'run:failed') && event.error.at < event.at
      ? [Date.parse(event.error.at)]
      : [],
  );
  return [...new Set(moments)].sort((one, other) => one - other);
}

/** Replays a leg, commit by commit, from the state that it began with. */
class Replay {
  readonly #start: () => RunState;
  #taken: readonly Taken[] = [];
  #state: RunState;

  constructor(start: () => RunState) {
    this.#start = start;
    this.#state = start();
  }

  /** The difference, if the replay fits none of these ways. */
  take(commit: Commit, ways: readonly [Way, ...Way[]]): string | undefined {
    const [first, ...others] = ways;
    const breach = replay(this.#state, commit, first);
    if (breach === undefined) {
      this.#taken = [...this.#taken, { commit, way: first, ways }];
      return undefined;
    }
    const fitsAnother = others.some((way) => this.#fits([...this.#taken, { commit, way, ways }]));
    return fitsAnother || this.#fitsOtherwise(commit, ways) ? undefined : breach;
  }

  /** An event may have been decided in an earlier commit, which looks the same in two ways. */
  #fitsOtherwise(commit: Commit, ways: readonly Way[]): boolean {
    const taken = this.#taken;
    return taken.some(({ ways: theirs }, at) =>
      theirs.some((other) => {
        const before = taken.map((each, index) => (index === at ? { ...each, way: other } : each));
        return ways.some((way) => this.#fits([...before, { commit, way, ways }]));
      }),
    );
  }

  /** A way that did not fit has changed the state, so the next one begins again. */
  #fits(taken: readonly Taken[]): boolean {
    this.#state = this.#start();
    const isFit = taken.every(({ commit, way }) => replay(this.#state, commit, way) === undefined);
    if (isFit) this.#taken = taken;
    return isFit;
  }
}

interface Taken {
  readonly commit: Commit;
  /** The way in which it fits, among the possible ones. */
  readonly way: Way;
  readonly ways: readonly Way[];
}

export const resumesTheSame: Law = {
  name: 'a run folded from any prefix of its log decides nothing that it did not decide before',
  promise: 'P3 nothing repeated, P8 no resume on drifted state',
  breaches: (subject) => {
    const commits = commitsOf(subject);
    // one position for each run: over all runs every position comes up
    const place = 1 + (subject.events.length % Math.max(1, commits.length - 1));
    const stored = commits.slice(0, place).flat();
    const state = foldAll(subject, stored);
    // a park, or a stop for a cancellation that was not stored, starts again when the run is
    // resumed
    const isStill = [...state.scopes.values()].some(
      ({ visit }) =>
        visit?.phase.type === 'parked' ||
        visit?.phase.type === 'cancelled' ||
        (visit?.conversation?.asking !== undefined && visit.pending.size === 0),
    );
    const last = commits[place - 1] ?? [];
    const next = commits[place] ?? [];
    // a requested cancellation holds back decisions, and is not in the log until it is granted
    const isHeldBack = cancelledBy(subject, last) !== 'no';
    if (state.status !== 'running' || isStill || isHeldBack || isKeptOnly(subject, last)) return [];
    const resumed: EventBody = { type: 'run:resumed', by: 'law' };
    const [, ...decided] = step(state, [resumed], Date.parse(stored.at(-1)?.at ?? ''));
    const early = isStopping(subject, next)
      ? decided.find((event) => cancelledBy(subject, next) === 'no' && isStarting(state, event))
      : decided[0];
    return early === undefined
      ? []
      : [`after event ${stored.length} a fold decides ${brief(early)} without a reason`];
  },
};

/**
 * An end that was decided by then waits for the effects that it stops, and so does everything that
 * it ends. It is not in the log: a fold decides it again, perhaps after requests that it then stops
 * before they start.
 */
function isStopping({ executions }: Subject, next: readonly RunEvent[]): boolean {
  const requested = requestedIn(next);
  return next.some(
    (event) =>
      isType(event, 'effect:succeeded', 'effect:failed') &&
      (executions.some(({ isAborted, effect }) => isAborted && effect.key === event.effect.key) ||
        (isStoppedBeforeStart(event) && !requested(event.effect.key))),
  );
}

/** As when the breaker of its target was still being read: the world has no execution of it. */
function isStoppedBeforeStart(event: RunEvent): boolean {
  return (
    event.type === 'effect:failed' &&
    event.error.outcome === 'not_started' &&
    matchesKind(event.error.kind, 'cancelled.*')
  );
}

/** Whether it requests an effect that the end, which is decided again, does not stop. */
function isStarting(state: RunState, event: EventBody): boolean {
  const pending =
    event.type === 'effect:requested' ? state.effects.get(event.effect.key) : undefined;
  return pending !== undefined && stoppedFor(state, pending) === undefined;
}

/** A backend that is being stopped stores the results that it has, and decides nothing. */
function isKeptOnly(subject: Subject, commit: readonly RunEvent[]): boolean {
  const { legs, incidents, events } = subject;
  const first = commit[0]?.seq ?? 0;
  const leg = legs.find(({ fromSeq, toSeq }) => fromSeq < first && first <= toSeq);
  const beganMs = Date.parse(events[leg?.fromSeq ?? first]?.at ?? '');
  const isStopped = incidents.some(
    ({ what, atMs, afterSeq }) => what === 'stopped' && atMs >= beganMs && afterSeq < first,
  );
  return isStopped && countGiven(commit) === commit.length;
}

/** Folds like a backend that recovers a run from a store. */
function foldAll({ run, plan }: Subject, events: readonly RunEvent[]): RunState {
  const state = newRunState(run, plan);
  for (const event of events) evolve(state, bodyOf(event), Date.parse(event.at));
  return state;
}

interface Way {
  /** How many of the events came from outside. */
  readonly given: number;
  readonly isCancelled: boolean;
  /** Whether timers fired before, with nothing to decide. */
  readonly isWoken?: boolean;
  /** Whether something was decided in the same moment, before they came. */
  readonly isLookedAt?: boolean;
  /** Whether the earlier requests had not been started either. */
  readonly isLate?: boolean;
}

/** An effect that the machine gave up looks like one that returned; a cancel can be a moment late. */
function waysOf(given: number, cancelled: 'no' | 'maybe' | 'yes'): readonly [Way, ...Way[]] {
  const isCancelled = cancelled === 'yes';
  return [
    { given, isCancelled: cancelled !== 'no' },
    ...Array.from({ length: given }, (_, less) => ({ given: given - 1 - less, isCancelled })),
    ...(cancelled === 'maybe' ? [{ given, isCancelled: false }] : []),
    { given, isCancelled, isWoken: true },
    { given, isCancelled, isLookedAt: true },
    ...Array.from({ length: given + 1 }, (_, less) => ({
      given: given - less,
      isCancelled,
      isLate: true,
    })),
  ];
}

function cancelledBy({ legs }: Subject, events: readonly RunEvent[]): 'no' | 'maybe' | 'yes' {
  const first = events[0]?.seq ?? 0;
  const leg = legs.find(({ fromSeq, toSeq }) => fromSeq < first && first <= toSeq);
  const atMs = Date.parse(events[0]?.at ?? '');
  // only the backend knows when a message was read; an unread one waits for the next leg
  if (legs.some(({ messagedAtMs = Infinity }) => messagedAtMs <= atMs)) return 'maybe';
  if (leg?.cancelledAtMs === undefined) return 'no';
  if (atMs < leg.cancelledAtMs) return 'no';
  return atMs === leg.cancelledAtMs ? 'maybe' : 'yes';
}

function replay(
  state: RunState,
  { events, moments, begun }: Commit,
  { given, isCancelled, isWoken = false, isLookedAt = false, isLate = false }: Way,
): string | undefined {
  const bodies = events.map(bodyOf);
  const atMs = Date.parse(events[0]?.at ?? '');
  for (const ms of moments) if (state.nowMs < ms && ms < atMs) step(state, [], ms);
  for (let ms = nextTimerMs(state.timers) ?? atMs; isWoken && ms < atMs;) {
    step(state, [], ms);
    ms = nextTimerMs(state.timers) ?? atMs;
  }
  if (isLookedAt) step(state, [], atMs);
  state.cancelledBy = isCancelled ? 'someone' : undefined;
  const decided = [...step(state, bodies.slice(0, given), atMs)];
  for (;;) {
    const back = takenBack(state, isLate ? (key) => !begun.has(key) : requestedIn(decided));
    if (back.length === 0) break;
    decided.push(...step(state, back, atMs));
  }
  if (JSON.stringify(decided) === JSON.stringify(bodies)) return undefined;
  const place = bodies.findIndex((body, i) => JSON.stringify(body) !== JSON.stringify(decided[i]));
  const index = place < 0 ? bodies.length : place;
  const seq = (events[0]?.seq ?? 0) + index;
  return `event ${seq} was ${brief(bodies[index])} and is ${brief(decided[index])}`;
}

/**
 * Effects that were requested and stopped in the same step: the backend records that they never
 * started.
 */
function takenBack(state: RunState, isFreshKey: (key: string) => boolean): readonly EventBody[] {
  const stopped = [...state.effects.values()].map((pending) => ({
    pending,
    by: stoppedFor(state, pending),
    isFresh: isFreshKey(pending.effect.key),
  }));
  // together with started ones it waits for their end
  const busy = new Set(stopped.filter(({ isFresh }) => !isFresh).map(({ by }) => by));
  return stopped
    .filter(({ by, isFresh }) => by !== undefined && isFresh && !busy.has(by))
    .map(({ pending }) => stoppedBeforeStart(state, pending));
}

function requestedIn(decided: readonly EventBody[]): (key: string) => boolean {
  const keys = new Set(
    decided.flatMap((event) => (event.type === 'effect:requested' ? [event.effect.key] : [])),
  );
  return (key) => keys.has(key);
}

export function countGiven(events: readonly RunEvent[]): number {
  // effects that a rewind overtakes are ended before it
  const isResumed = events.some(({ type }) => type === 'run:resumed');
  let isAnswered = false;
  const decided = events.findIndex((event) => {
    isAnswered ||= event.type === 'gate:answered';
    // a resumed run repeats what was running, receives its result, and closes gates that cannot be
    // answered
    if (isResumed && event.type === 'effect:requested') return isAnswered;
    if (isResumed && event.type === 'gate:expired') return false;
    return !GIVEN.has(event.type) || isRefusal(event);
  });
  return decided < 0 ? events.length : decided;
}

/** A call that was never made: the machine itself records it. */
function isRefusal(event: RunEvent): boolean {
  const by = event.type === 'effect:failed' ? event.error.details?.['by'] : undefined;
  return by === 'policy' || by === 'person' || by === 'nobody';
}

/** Events that the backend feeds in; all else is decided from them. */
const GIVEN: ReadonlySet<EventBody['type']> = new Set([
  'run:started',
  'run:resumed',
  'run:paused',
  'run:cancelled',
  'effect:succeeded',
  'effect:failed',
  'gate:answered',
  'breaker:changed',
  'error:suppressed',
]);

export function bodyOf({ seq: _seq, run: _run, at: _at, ...body }: RunEvent): EventBody {
  return body;
}

function brief(body: EventBody | undefined): string {
  return body === undefined ? 'nothing' : JSON.stringify(body).slice(0, 300);
}

function commitsOf({ commits }: Subject): readonly (readonly RunEvent[])[] {
  // written by the engine, and stored as JSON
  return commits.map(({ events }) => events as unknown as readonly RunEvent[]);
}
