/** The world's own record of the events of a run, made as they are stored. */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { RunEvent } from '../../machine/state/events.ts';

export interface StoredFacts {
  /** Events that are stored. */
  seq: number;
  last: RunEvent | undefined;
  /** How often a result was stored, by the key of its effect and by its path. */
  readonly results: Map<string, number>;
  /** How often a gate was answered. */
  readonly answers: Map<string, number>;
  /** The gate that was answered or ran out last. */
  lastGate: string | undefined;
  /** Paths of the nodes that were started. */
  readonly started: Set<string>;
  /** Open gates, with their first option and the number of the event that opened them. */
  readonly open: Map<string, { readonly value: JsonValue; readonly opening: number }>;
}

export function newStoredFacts(): StoredFacts {
  return {
    seq: 0,
    last: undefined,
    results: new Map(),
    answers: new Map(),
    lastGate: undefined,
    started: new Set(),
    open: new Map(),
  };
}

function countUp(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

export function noteStored(facts: StoredFacts, events: readonly object[]): void {
  for (const each of events) {
    // the engine made it
    const event = each as RunEvent;
    // a commit that was repeated was stored once
    if (event.seq <= facts.seq) continue;
    facts.seq = event.seq;
    facts.last = event;
    if (event.type === 'node:started') facts.started.add(event.path);
    if (event.type === 'gate:answered') countUp(facts.answers, event.gate);
    if (event.type === 'gate:opened')
      facts.open.set(event.gate, { value: event.options[0] ?? null, opening: event.seq });
    if (event.type === 'gate:answered' || event.type === 'gate:expired') {
      facts.lastGate = event.gate;
      facts.open.delete(event.gate);
    }
    if (event.type === 'effect:succeeded' || event.type === 'effect:failed')
      for (const name of [event.effect.key, event.path]) countUp(facts.results, name);
  }
}
