/**
 * What benches give to the runner and what a stored run holds: every value of every round, so that
 * ratio, spread and verdict are worked out in one place (`figures.ts`), and by any reader again.
 */

export type Unit = 'µs' | 'ms' | 'MB' | '×' | 'runs/s' | 'steps/s';

/** What a row has to keep to; a row without one is only shown. */
export type Goal =
  /** At most so many times its limit, of the same round. */
  | { readonly times: number }
  /** At most so much more than its limit, of the same round. */
  | { readonly plus: number }
  | { readonly most: number }
  | { readonly least: number };

export interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** One piece of work, through the package as users have it, beside its limit and its peers. */
export interface Row {
  /** As the table of goals calls it, such as `W5`; several rows may share one. */
  readonly work: string;
  readonly name: string;
  readonly unit: Unit;
  /** One value of each round, in the order of the rounds. */
  readonly ours: readonly number[];
  /** The least that any program could do, taken in the same rounds. */
  readonly limit?: { readonly is: string; readonly rounds: readonly number[] };
  readonly peers?: readonly Peer[];
  readonly goal?: Goal;
  /** Between which the true value lies: a goal between them is neither met nor missed. */
  readonly bounds?: Bounds;
  /** Why a goal is missed, or what a reader would misunderstand. */
  readonly note?: string;
}

/** A peer that did the same work in the same rounds, or why it could not. */
export type Peer =
  | { readonly name: string; readonly version: string; readonly rounds: readonly number[] }
  | { readonly name: string; readonly version: string; readonly why: string };

/** One cost along something that grows. */
export interface Curve {
  readonly work: string;
  readonly name: string;
  readonly unit: Unit;
  /** The thing that grows: `steps of the run`. */
  readonly along: string;
  readonly points: readonly { readonly at: number; readonly rounds: readonly number[] }[];
  /** The last point costs at most so many times the first one, or the curve bends. */
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
  /** Of the minute before: 0 is a quiet machine. */
  readonly load: number;
}

export interface Measured {
  readonly measured: { readonly at: string; readonly machine: MachineFacts };
  /** How much of its goal the row took on the latest earlier day. */
  readonly earlier?: { readonly at: string; readonly share: number };
}

/** What `bench/results/latest.json` holds: the last value of every row. */
export interface BenchResult {
  readonly rows: readonly (Row & Measured)[];
  readonly curves: readonly (Curve & Measured)[];
}
