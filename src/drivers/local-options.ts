/** What a driver on this machine is made with, and what each run of it is started and resumed with. */
import type { EffectClock } from '../effects/clock.ts';
import type { InternalRecord } from '../errors/internal-record.ts';
import type { ErrorReport } from '../errors/report.ts';
import type { Bound, RunEvent } from '../machine/events.ts';
import type { RunStore } from '../machine/store-port.ts';
import type { EffectRunner } from './effect-runner.ts';
import type { GoingOn } from './going-on.ts';
import type { RunOptions } from './leg.ts';

export interface LocalOptions {
  readonly store: RunStore;
  readonly effects: EffectRunner;
  readonly clock?: EffectClock;
  readonly secrets?: readonly string[];
  /** Names of runs and of this driver. Default: random ones. */
  readonly newId?: () => string;
  /** When the store stays away: the run halts and can be resumed, or waits for it. Default: halt. */
  readonly onOutage?: 'halt' | 'wait';
  /** False: nobody else speaks to these runs, and nobody takes them over. */
  readonly isShared?: boolean;
  /** How many events make a checkpoint worthwhile when a run comes to rest. */
  readonly checkpointEvents?: number;
  /** Keeps what only the internal record may hold: what was thrown, with stacks and host paths. */
  readonly onInternal?: (record: InternalRecord) => void;
  /** Hears every event of every run, after it is stored. Must not throw. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Hears what is wrong beside the runs. Default: a warning of the process. */
  readonly onWarning?: (error: ErrorReport) => void;
}

export interface StartOptions extends RunOptions {
  /** Where the workflow came from, to be found again when the run is resumed. */
  readonly file?: string;
  /** What a leg is held to. Default: what `errand validate` prints for the plan. */
  readonly bound?: Bound;
  /**
   * What the run is called. Where it is there already, with the same workflow and input, it is given
   * back and nothing is started; with others it is `validation.input`. Default: a random name.
   */
  readonly id?: string;
  /** Hears the name of a run that is new, before anything of it happens. */
  readonly onCreated?: (run: string) => void;
}

export interface ResumeOptions extends RunOptions, GoingOn {}
