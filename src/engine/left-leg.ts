/** A leg that this process begins and leaves to the one that resumes the run. */
import type { Claim, RunStore } from '../machine/ports/store-port.ts';
import type { EventBody } from '../machine/state/events.ts';
import type { RunState } from '../machine/state/state.ts';
import { LogWriter } from './run/log-writer.ts';

export interface Begun {
  readonly state: RunState;
  readonly events: readonly EventBody[];
  readonly nowMs: number;
  /** Messages that no leg will read, through this one. */
  readonly voidThrough: number | undefined;
}

type LogParts = ConstructorParameters<typeof LogWriter>[0];

export interface LeftLegParts {
  readonly claim: Claim;
  readonly store: RunStore;
  readonly clock: LogParts['clock'];
  readonly onOutage: LogParts['onOutage'];
}

/** Stores what the leg begins with. */
export async function storeBeginning(
  { state, events, nowMs, voidThrough }: Begun,
  parts: LeftLegParts,
): Promise<void> {
  const log = new LogWriter({ ...parts, state });
  await log.write(events, nowMs, voidThrough);
}
