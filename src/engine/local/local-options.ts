/** Options of the local backend. */
import type { EffectClock } from '../../effects/clock.ts';
import type { InternalRecord } from '../../errors/thrown/internal-record.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { InterferencePort } from '../../machine/ports/interference-port.ts';
import type { RunStore } from '../../machine/ports/store-port.ts';
import type { EffectRunner } from '../run/effect-runner.ts';
import type { CheckpointOptions } from '../run/checkpoints/keep-checkpoint.ts';
import type { Progress } from '../run/running-effects.ts';
import type { TelemetryPort } from '../run/telemetry-port.ts';

export interface LocalOptions extends CheckpointOptions {
  readonly store: RunStore;
  readonly effects: EffectRunner;
  readonly clock?: EffectClock;
  readonly secrets?: readonly string[];
  /** Called with each secret that becomes known later. */
  readonly onSecret?: (secret: string) => void;
  /** Makes ids of runs and the id of this backend. Default: random ones. */
  readonly newId?: () => string;
  /** When the store stays away: the run halts and can be resumed, or waits for it. Default: halt. */
  readonly onOutage?: 'halt' | 'wait';
  /** False: no other process sends messages to these runs or takes them over. */
  readonly isShared?: boolean;
  /** Only in a rehearsal: the faults that it injects into the machine. */
  readonly interference?: InterferencePort;
  /** Called with internal records: they alone hold what was thrown, with stacks and host paths. */
  readonly onInternal?: (record: InternalRecord) => void;
  /** Called with every event of every run, after it is stored. Must not throw. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Called with the progress of every run, beside the listener of its leg. */
  readonly onProgress?: (progress: Progress) => void;
  /** The kind of the store, for its latency. */
  readonly storeName?: string;
  /** Watches the legs. Default: nobody does. */
  readonly telemetry?: TelemetryPort | undefined;
  /** Called with failures that belong to no run. Default: a warning of the process. */
  readonly onWarning?: (error: ErrorReport) => void;
}
