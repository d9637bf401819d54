/**
 * Input that a leg has received and not stored yet: the events that wait for its next step, also while it is
 * being stopped, and the messages that its next commit acknowledges.
 */
import type { ErrorReport } from '../../errors/report/report.ts';
import { withOverspending } from '../../machine/policy/overspending.ts';
import type { EventBody } from '../../machine/state/events.ts';
import type { RunState } from '../../machine/state/state.ts';

interface LegInboxOptions {
  readonly state: RunState;
  readonly onWarning: (error: ErrorReport) => void;
}

/** Events that the state has applied before the leg decides, and when. */
export interface AppliedEvents {
  readonly events: readonly EventBody[];
  readonly nowMs: number;
}

/**
 * Results that stopping causes are not recorded: an aborted effect fails because of that, and a
 * stopped run does not pause. A script that exits well when it is stopped may have left its work
 * half done, so its outcome stays unknown.
 */
function isCausedByStopping(event: EventBody): boolean {
  if (event.type === 'effect:succeeded') return event.effect.type === 'script';
  return CAUSED_BY_STOPPING.has(event.type);
}

const CAUSED_BY_STOPPING: ReadonlySet<EventBody['type']> = new Set([
  'effect:failed',
  'effect:requested',
  'run:paused',
]);

export class LegInbox {
  readonly #options: LegInboxOptions;
  #applied: AppliedEvents | undefined;
  #events: EventBody[] = [];
  /** Events that were queued when the run was stopped. */
  #queuedBeforeStop: ReadonlySet<EventBody> | undefined;
  #messagesThrough = 0;
  #unsettledThrough: number | undefined;

  constructor(options: LegInboxOptions) {
    this.#options = options;
  }

  beginWith(applied: AppliedEvents): void {
    this.#applied = applied;
  }

  takeApplied(): AppliedEvents | undefined {
    const applied = this.#applied;
    this.#applied = undefined;
    return applied;
  }

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  add(events: readonly EventBody[]): void {
    this.#events.push(...events);
  }

  addFirst(events: readonly EventBody[]): void {
    this.#events.unshift(...events);
  }

  hasAnswerTo(gate: string): boolean {
    return this.#events.some((event) => event.type === 'gate:answered' && event.gate === gate);
  }

  /** Keeps in mind what came before the stop. */
  noteStop(): void {
    this.#queuedBeforeStop = new Set(this.#events);
  }

  /** Takes the events. A pause counts only alone: after any other event the machine decides anew. */
  take(): readonly EventBody[] {
    const happened = this.#recordable(this.#events);
    this.#events = [];
    const known =
      happened.length === 1 ? happened : happened.filter(({ type }) => type !== 'run:paused');
    return withOverspending(this.#options.state, known);
  }

  /** Takes the events, and leaves out what only the stop has caused. */
  takeKnown({ isDraining }: { readonly isDraining: boolean }): readonly EventBody[] {
    return this.take().filter((event) =>
      isDraining
        ? event.type !== 'run:paused'
        : this.#queuedBeforeStop?.has(event) === true || !isCausedByStopping(event),
    );
  }

  /** Number of the last message that was received in this leg. */
  get messagesThrough(): number {
    return this.#messagesThrough;
  }

  /** Lets the next commit acknowledge all messages up to this one. */
  acknowledgeThrough(number: number): void {
    this.#messagesThrough = number;
    this.#unsettledThrough = number;
  }

  /** The messages that the next commit acknowledges: a cancellation only together with the end of the run. */
  acknowledged(): number | undefined {
    const { cancelledBy, status } = this.#options.state;
    return cancelledBy === undefined || status === 'cancelled' ? this.#unsettledThrough : undefined;
  }

  /** Forgets what was acknowledged, unless more messages came while it was being stored. */
  noteStored(acknowledged: number | undefined): void {
    if (this.#unsettledThrough === acknowledged) this.#unsettledThrough = undefined;
  }

  /**
   * Drops suppressed errors after the end of the run, when no event may follow; reports them as
   * warnings.
   */
  #recordable(happened: readonly EventBody[]): readonly EventBody[] {
    if (this.#options.state.status === 'running') return happened;
    return happened.filter((event) => {
      if (event.type !== 'error:suppressed') return true;
      this.#options.onWarning(event.error);
      return false;
    });
  }
}
