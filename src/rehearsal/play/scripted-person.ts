/**
 * The person of a rehearsed scenario: gives the answers of the scenario, waits out every wait that has an end, and
 * stops at a question that the scenario leaves open, or at a park.
 */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { RunEvent, Wait, Waiting } from '../../machine/state/events.ts';
import type { RunResult } from '../../engine/backend.ts';
import type { Atlas, Place } from '../places/atlas.ts';
import type { NextLeg } from '../world/operator.ts';

/** No answer; where there is a deadline, it passes. */
export const NEVER = 'never';

export interface People {
  /** Answers to gates and questions, by name of the place or path. */
  readonly answers: Readonly<Record<string, JsonValue>>;
  /** Answers to the first visit of a gate, by name of the place: a later one of a loop gets the usual answer. */
  readonly first?: Readonly<Record<string, JsonValue>>;
  /** Places whose parks are resumed. */
  readonly resumed: readonly string[];
  /** Parks that have an end are waited for. */
  readonly waitsForParks?: boolean;
}

export interface ScriptedPersonParts {
  readonly atlas: Atlas;
  readonly people: People;
  readonly now: () => number;
  /** How often the node at a path has begun. */
  readonly visitOf: (path: string) => number;
  /** The option that a gate gets when the scenario does not say. */
  readonly usualAnswer: (place: Place, path: string) => JsonValue;
  readonly isSilent: (path: string) => boolean;
  readonly isUntilOut: (path: string) => boolean;
  /** The output of the node when it works, for `edit`. */
  readonly edited: (place: Place) => JsonValue;
}

export class ScriptedPerson {
  readonly #parts: ScriptedPersonParts;

  constructor(parts: ScriptedPersonParts) {
    this.#parts = parts;
  }

  next(result: RunResult, events: readonly RunEvent[]): NextLeg {
    switch (result.status) {
      case 'completed':
      case 'cancelled':
      case 'failed':
        return { type: 'end' };
      case 'interrupted':
        return { type: 'resume', afterMs: 0 };
      case 'paused':
        return this.#paused(result.waiting, events);
    }
  }

  #paused({ all }: Waiting, events: readonly RunEvent[]): NextLeg {
    const times: number[] = [];
    let isLeft = false;
    for (const wait of all) {
      const about = stateOf(events, wait.path ?? '');
      const answer = wait.gate === undefined ? undefined : this.#answer(wait, about);
      if (answer !== undefined && answer !== NEVER)
        return {
          type: 'resume',
          afterMs: 0,
          answer: { gate: wait.gate, opening: wait.opening, value: answer, by: 'rehearsal' },
        };
      const isSatOut =
        wait.gate === undefined ? about !== 'parked' || this.#isResumed(wait) : answer === NEVER;
      if (!isSatOut) continue;
      if (wait.until === undefined) isLeft ||= wait.reason === 'person';
      else times.push(Date.parse(wait.until));
    }
    if (isLeft) return { type: 'resume', afterMs: 0 };
    if (times.length === 0) return { type: 'end' };
    return { type: 'resume', afterMs: Math.max(0, Math.min(...times) - this.#parts.now()) };
  }

  /** Undefined: the question stays open. */
  #answer(wait: Wait, about: PathState): JsonValue | undefined {
    const { path = '', options = [] } = wait;
    const { atlas, people, isSilent, isUntilOut, usualAnswer, edited, visitOf } = this.#parts;
    const place = atlas.of(path);
    if (place === undefined) return undefined;
    // a gate may have an option of that name
    const isApproval = place.node.type !== 'human_gate' && options.includes('approve');
    const said =
      (visitOf(path) === 1 ? people.first?.[place.name] : undefined) ??
      people.answers[path] ??
      people.answers[place.name] ??
      people.answers[place.node.name];
    if (about === 'failed') {
      const chosen = said ?? (isUntilOut(path) && options.includes('abort') ? 'abort' : undefined);
      return chosen === 'edit' ? { edit: edited(place) } : chosen;
    }
    if (isSilent(path)) return NEVER;
    if (isApproval) return said === NEVER || said === 'deny' ? said : 'approve';
    if (wait.reason === 'budget') return undefined;
    return said ?? (place.node.type === 'human_gate' ? usualAnswer(place, path) : undefined);
  }

  #isResumed({ path = '', until }: Wait): boolean {
    const { atlas, people, isUntilOut } = this.#parts;
    const name = atlas.of(path)?.name ?? '';
    if (people.resumed.includes(name) || isUntilOut(path)) return true;
    return people.waitsForParks === true && until !== undefined;
  }
}

type PathState = 'parked' | 'failed' | 'other';

/** The last event at a path. */
function stateOf(events: readonly RunEvent[], path: string): PathState {
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at];
    if (event === undefined || !('path' in event) || event.path !== path) continue;
    if (event.type === 'route:taken' && event.move === 'park') return 'parked';
    if (event.type === 'node:failed') return 'failed';
    if (event.type === 'node:started') return 'other';
  }
  return 'other';
}
