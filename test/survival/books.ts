/**
 * Compares the log with the records of the world: nothing twice, nothing lost, one ending for each
 * leg.
 */
import { expect } from 'vitest';
import type { RunEvent } from '../../src/machine/state/events.ts';
import { REPEATABLE } from './subjects.ts';
import type { Deed } from './world.ts';

const TERMINAL: readonly string[] = ['run:completed', 'run:failed', 'run:cancelled'];

/** No gap, and in each leg at most one ending, which nothing follows. */
export function expectWholeLog(events: readonly Pick<RunEvent, 'seq' | 'type'>[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  for (const leg of legsOf(events)) {
    const endings = leg.filter(({ type }) => TERMINAL.includes(type) || type === 'run:paused');
    expect(endings.length).toBeLessThanOrEqual(1);
    if (endings.length === 1) expect(leg.at(-1)).toBe(endings[0]);
  }
}

export function legsOf<Event extends Pick<RunEvent, 'type'>>(
  events: readonly Event[],
): readonly (readonly Event[])[] {
  const legs: Event[][] = [];
  for (const event of events) {
    if (event.type === 'run:started' || event.type === 'run:resumed') legs.push([]);
    legs.at(-1)?.push(event);
  }
  return legs;
}

/** No effect happens before its request is stored, and none with a result happens again. */
export function expectHonestEffects(
  events: readonly RunEvent[],
  deeds: readonly Deed[],
  isWitnessed: boolean,
): void {
  const requests = new Map<string, number>();
  const settled = new Set<string>();
  for (const event of events) {
    if (event.type === 'effect:requested') {
      const { key } = event.effect;
      expect(settled, `${event.path} was asked for after it had succeeded`).not.toContain(key);
      requests.set(key, (requests.get(key) ?? 0) + 1);
    }
    if (event.type === 'effect:succeeded') settled.add(event.effect.key);
  }
  for (const { key, name } of deeds) {
    const times = deeds.filter((deed) => deed.key === key).length;
    expect(times, `${name} was done more often than the log asked`).toBeLessThanOrEqual(
      requests.get(key) ?? 0,
    );
  }
  for (const event of events) {
    if (event.type !== 'effect:succeeded' || event.effect.type !== 'script') continue;
    if (!isWitnessed) continue;
    const isDone = deeds.some(({ key, ending }) => key === event.effect.key && ending === 'done');
    expect(isDone, `${event.path} succeeded, and the world knows nothing of it`).toBe(true);
  }
  for (const key of new Set(deeds.map((deed) => deed.key))) {
    const done = deeds.filter((deed) => deed.key === key && deed.ending === 'done');
    if (done[0]?.name.startsWith(REPEATABLE) === false)
      expect(done.length, `${done[0].name} was done twice`).toBe(1);
  }
}

/** All work that any process did; repeatable work counts once. */
export function doneIn(deeds: readonly Deed[]): readonly string[] {
  const done = deeds.filter(({ ending }) => ending === 'done').map(({ name }) => name);
  const [safe, others] = [new Set<string>(), [] as string[]];
  for (const name of done) {
    if (name.startsWith(REPEATABLE)) safe.add(name);
    else others.push(name);
  }
  return [...safe, ...others].sort();
}

/** A request without a result, as a killed process left it in the log. */
export function inDoubt(events: readonly RunEvent[]): readonly string[] {
  const open = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'effect:requested') open.set(event.effect.key, event.path);
    if (event.type === 'effect:succeeded' || event.type === 'effect:failed')
      open.delete(event.effect.key);
  }
  return [...open.values()];
}
