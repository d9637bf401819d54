/** Opens the telemetry of a leg, where somebody traces or counts. */
import { legFacts } from '../../history/trace-facts.ts';
import type { RunState } from '../../machine/state/state.ts';
import type { LegOrigin } from '../backend.ts';
import type { LegTelemetry, TelemetryPort } from './telemetry-port.ts';

export interface WatchedLeg extends LegOrigin {
  readonly nowMs: number;
  readonly by?: string;
  /** Another process executes the leg, and watches it. */
  readonly isLeft?: boolean;
  readonly isUnseen?: boolean;
}

interface Watching {
  readonly telemetry?: TelemetryPort | undefined;
  readonly storeName?: string;
}

/** Called before the first event of the leg is made: that keeps the context of the leg. */
export function watchLeg(
  { telemetry, storeName }: Watching,
  state: RunState,
  { nowMs, trace, by, isLeft = false, isUnseen = false }: WatchedLeg,
): LegTelemetry | undefined {
  if (telemetry === undefined || isLeft) return undefined;
  const carrier = isUnasked(by) ? null : trace;
  return telemetry.openLeg({ ...legFacts(state, nowMs), carrier, isUnseen, store: storeName });
}

/** Whether nobody has asked for the leg: its time has come, or its process is gone. */
function isUnasked(by: string | undefined): boolean {
  return by === 'timer' || by === 'adoption';
}
