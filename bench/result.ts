/**
 * The results that benches pass to the runner, and the content of a stored run: every value of
 * every round, so that one place (`figures.ts`), and any later reader, can compute ratio, spread
 * and verdict.
 */

export type Unit = 'µs' | 'ms' | 'MB' | '×' | 'runs/s' | 'steps/s';

/** The goal of a row; a row without one is only shown. */
export type Goal =
  /** At most this multiple of its limit, in the same round. */
  | { readonly times: number }
  /** At most this much above its limit, in the same round. */
  | { readonly plus: number }
  | { readonly most: number }
  | { readonly least: number };

export interface Bounds {
  readonly low: number;
  readonly high: number;
}

/**
 * One piece of work, measured through the package as users have it, beside its limit and its peers.
 */
export interface Row {
  /** The name in the table of goals, such as `W5`; several rows may share one. */
  readonly work: string;
  readonly name: string;
  readonly unit: Unit;
  /** One value of each round, in the order of the rounds. */
  readonly ours: readonly number[];
  /** The least that any program could do, measured in the same rounds. */
  readonly limit?: { readonly is: string; readonly rounds: readonly number[] };
  readonly peers?: readonly Peer[];
  readonly goal?: Goal;
  /** Bounds of the true value: a goal between them is neither met nor missed. */
  readonly bounds?: Bounds;
  /** The reason for a missed goal, or a note on what a reader might misunderstand. */
  readonly note?: string;
}

/** A peer that did the same work in the same rounds, or why it could not. */
export type Peer =
  | { readonly name: string; readonly version: string; readonly rounds: readonly number[] }
  | { readonly name: string; readonly version: string; readonly why: string };

/** One cost as a function of a growing size. */
export interface Curve {
  readonly work: string;
  readonly name: string;
  readonly unit: Unit;
  /** The size that grows: `steps of the run`. */
  readonly along: string;
  readonly points: readonly { readonly at: number; readonly rounds: readonly number[] }[];
  /**
   * The most that the last point may cost, as a multiple of the first: above it the curve bends.
   */
  readonly flat?: number;
  readonly note?: string;
}

/** `bench/<subject>.bench.ts` exports one of these as `bench`. */
export interface ComparedBench {
  readonly name: string;
  readonly compare: (options: { readonly withPeers: boolean }) => Compared | Promise<Compared>;
}

export interface Compared {
  readonly rows?: readonly Row[];
  readonly curves?: readonly Curve[];
}

export interface MachineFacts {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryMb: number;
  readonly os: string;
  readonly node: string;
  readonly sqlite: string;
  /** The load of the minute before: 0 is a quiet machine. */
  readonly load: number;
}

export interface Measured {
  readonly measured: { readonly at: string; readonly machine: MachineFacts };
  /** The share of its goal that the row took on the latest earlier day. */
  readonly earlier?: { readonly at: string; readonly share: number };
}

/** The content of `bench/results/latest.json`: the last value of every row. */
export interface BenchResult {
  readonly rows: readonly (Row & Measured)[];
  readonly curves: readonly (Curve & Measured)[];
}
