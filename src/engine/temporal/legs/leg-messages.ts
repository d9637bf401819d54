/**
 * Messages that a workflow in the sandbox sends to the process around it, so that a leg is watched: facts and
 * events, after they are stored, and never during a replay. Nothing comes back, so no decision rests on it.
 */
import { proxyLocalActivities, proxySinks, workflowInfo } from '@temporalio/workflow';
import {
  legFacts,
  openNodes,
  startedFacts,
  type LegFacts,
  type NodeFacts,
  type OpenNode,
} from '../../../history/trace-facts.ts';
import { tracedEvent } from '../../../history/traced-event.ts';
import type { TraceCarrier } from '../../../machine/ports/trace-carrier.ts';
import type { RunEvent } from '../../../machine/state/events.ts';
import type { RunState } from '../../../machine/state/state.ts';
import { LEG_SINK } from './leg-sink-name.ts';
import { LEG_ACTIVITY, type Begin } from '../messages.ts';

export interface WatchedEvent {
  readonly event: RunEvent;
  readonly facts?: NodeFacts | undefined;
}

export interface LegMessage extends LegFacts {
  readonly carrier?: TraceCarrier | null | undefined;
}

export interface LegSink {
  /** A leg begins here, unless this process has it already. */
  begin(leg: LegMessage): void;
  reopen(run: string, open: readonly OpenNode[]): void;
  note(run: string, events: readonly WatchedEvent[]): void;
}

type LegBegun = Pick<LegFacts, 'startMs' | 'cause'>;

/** Who resumes a run whose time has come. */
export const TIMER = 'timer';

/** Larger runs are not searched for open nodes at every commit of a replay. */
const MAX_SEARCHED_SCOPES = 1000;

export class LegMessages {
  readonly #state: RunState;
  readonly #sink = proxySinks<{ readonly [LEG_SINK]: LegSink }>()[LEG_SINK];
  /** The leg as a replay leaves it, for a process that has not seen it. */
  #replayed: { readonly leg: LegMessage; open: readonly OpenNode[] } | undefined;

  constructor(state: RunState) {
    this.#state = state;
  }

  /** Called before the first event of a leg is made. */
  begin(leg: LegMessage): void {
    if (isReplaying()) this.#replayed = { leg, open: [] };
    else {
      this.#replayed = undefined;
      this.#sink.begin(leg);
    }
  }

  /** The same leg, in a new execution. */
  continue(carrier: TraceCarrier | undefined, { startMs, cause }: LegBegun): void {
    const leg = { ...legFacts(this.#state, startMs, { isApplied: true }), cause, carrier };
    this.#replayed = { leg, open: openNodes(this.#state) };
  }

  reopen(): void {
    const open = openNodes(this.#state);
    if (this.#replayed !== undefined) this.#replayed.open = open;
    else this.#sink.reopen(this.#state.run, open);
  }

  note(events: readonly RunEvent[]): void {
    const state = this.#state;
    if (isReplaying()) {
      if (this.#replayed !== undefined && state.scopes.size <= MAX_SEARCHED_SCOPES)
        this.#replayed.open = openNodes(state);
      return;
    }
    if (this.#replayed !== undefined) {
      this.#sink.begin(this.#replayed.leg);
      this.#sink.reopen(state.run, this.#replayed.open);
      this.#replayed = undefined;
    }
    this.#sink.note(
      state.run,
      events.map((event) => ({ event: tracedEvent(event), facts: startedFacts(state, event) })),
    );
  }
}

function isReplaying(): boolean {
  return workflowInfo().unsafe.isReplaying;
}

interface Activities {
  readonly [LEG_ACTIVITY]: (leg: LegMessage) => Promise<string | null>;
}

const ASK_MS = 5000;

/** The context of the leg from the worker that opens its span; a replay has it from the history. */
export async function askForContext(leg: LegMessage): Promise<string | undefined> {
  const activities = proxyLocalActivities<Activities>({
    startToCloseTimeout: ASK_MS,
    retry: { maximumAttempts: 1 },
  });
  try {
    return (await activities[LEG_ACTIVITY](leg)) ?? undefined;
  } catch {
    // a trace is no reason to hold a run up
    return undefined;
  }
}

/** As the events of its beginning say it. */
export function causeOf(begin: Exclude<Begin, { type: 'cancel' | 'continue' }>): string {
  if (begin.type === 'start') return 'start';
  const { from, answer, by } = begin.how;
  if (answer !== undefined) return 'answer';
  if (from !== undefined) return 'retry';
  return by === TIMER ? 'adopt' : 'resume';
}
