/** A scenario: its name, the failures to cause in it, and its results. */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { RunResult } from '../../engine/backend.ts';
import type { Place } from '../places/atlas.ts';
import type { Played, Script } from '../play/play-scenario.ts';
import type { TakenRoute, Trace } from '../play/play-trace.ts';
import type { Judgement } from '../verdict/verdict.ts';

export interface Performance {
  readonly played: Played;
  readonly trace: Trace;
}

/** The part of a performance that is kept. */
export interface Summary {
  readonly result: RunResult;
  readonly output: JsonValue | undefined;
  /** Error routes, in order. */
  readonly routes: readonly TakenRoute[];
  readonly virtualMs: number;
  readonly costUsdMicros: number;
  readonly modelRequests: number;
  readonly commits: number;
  /** Executions of effects that must not be repeated, by node. */
  readonly executions: Readonly<Record<string, number>>;
  /** The events before its end, one line each, where they are shown. */
  readonly way: readonly string[];
  readonly isBroken: boolean;
}

export interface Scenario {
  readonly name: string;
  readonly origin: 'generated' | 'written';
  readonly inject?: { readonly at: string; readonly kind: string };
  /** The place that it is about; none for `calm` and for written scenarios. */
  readonly place?: Place;
  readonly script: Script;
  /** Absent where nothing leads to what it is about. */
  readonly summary?: Summary;
  readonly judgement: Judgement;
  /** How it differs from what its plan expects. */
  readonly differs?: readonly Difference[];
}

export interface Difference {
  readonly field: string;
  readonly expected: unknown;
  readonly got: unknown;
}
