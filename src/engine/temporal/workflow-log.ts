/** The events of a run in one execution, as queries read them, and what Temporal shows of the run. */
import { upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import type { EventBody, RunEvent } from '../../machine/state/events.ts';
import type { RunState } from '../../machine/state/state.ts';
import { toStoredEvents } from '../../machine/decide/step.ts';
import { runStatusOf } from '../run/run-status.ts';
import {
  ATTRIBUTES,
  MEMO,
  type EventsPage,
  type RunFacts,
  type RunInput,
  type RunMemo,
} from './messages.ts';
import { withoutMarks } from './secrets/secret-marks.ts';
import { jsonBytes, MAX_PAYLOAD_BYTES } from './sizes/payload-size.ts';
import { shownWaiting } from './sizes/shown-waiting.ts';
import { PartedText } from './sizes/text-parts.ts';

/** Several answers may have to leave in one message, beside what the run decides. */
const MAX_PAGE_BYTES = 500_000;

export class WorkflowLog {
  readonly #state: RunState;
  readonly #input: RunInput;
  readonly #events: RunEvent[] = [];
  readonly #firstSeq: number;
  #lastAt: string;

  constructor(state: RunState, input: RunInput) {
    this.#state = state;
    this.#input = input;
    this.#firstSeq = state.seq + 1;
    this.#lastAt = input.identity.startedAt;
  }

  /** Events of this execution. */
  get length(): number {
    return this.#events.length;
  }

  /** Temporal keeps them: a replay writes the same ones. */
  write(bodies: readonly EventBody[], nowMs: number): Promise<readonly RunEvent[]> {
    const at = new Date(nowMs).toISOString();
    const events = toStoredEvents(this.#state, bodies, at);
    this.#events.push(...events);
    this.#lastAt = at;
    if (events.some(({ type }) => SHOWN.has(type))) this.#show();
    return Promise.resolve(events);
  }

  takeOutages(): readonly never[] {
    return [];
  }

  /** The part is of the first event, where no answer can hold all of that. */
  page(fromSeq: number, part = 0): EventsPage {
    const { before } = this.#input;
    return {
      ...this.#pageFrom(fromSeq - this.#firstSeq, part),
      lastSeq: this.#firstSeq + this.#events.length - 1,
      status: this.#state.status,
      firstSeq: this.#firstSeq,
      ...(before === undefined ? {} : { before: before.execution }),
    };
  }

  #pageFrom(index: number, part: number): Pick<EventsPage, 'events' | 'piece'> {
    const events: RunEvent[] = [];
    let bytes = 0;
    for (const stored of this.#events.slice(Math.max(0, index))) {
      const event = asRead(stored);
      const sizeBytes = jsonBytes(event);
      if (events.length === 0 && sizeBytes > MAX_PAYLOAD_BYTES)
        return { events, piece: new PartedText(JSON.stringify(event)).part(part) };
      bytes += sizeBytes;
      if (events.length > 0 && bytes > MAX_PAGE_BYTES) break;
      events.push(event);
    }
    return { events };
  }

  facts(): RunFacts {
    const { identity } = this.#input;
    const plan = withoutMarks(identity.plan);
    return { ...identity, plan, statusRow: this.#statusRow(), lastSeq: this.#state.seq };
  }

  #statusRow(): RunFacts['statusRow'] {
    const { waiting, ...row } = runStatusOf(this.#state, this.#lastAt);
    return waiting === undefined ? row : { ...row, ...shownWaiting(waiting) };
  }

  /** In Temporal's lists. */
  #show(): void {
    const { identity, settings } = this.#input;
    const { status, error, waiting, isCut, costUsdMicros } = this.#statusRow();
    const memo: RunMemo = {
      workflow: identity.workflow,
      file: identity.file,
      status: this.#state.status,
      costUsdMicros,
      startedAt: identity.startedAt,
      ...(error === undefined ? {} : error),
      ...(waiting === undefined ? {} : { waiting }),
      ...(isCut === undefined ? {} : { isCut }),
    };
    upsertMemo({ [MEMO]: memo });
    if (!settings.hasAttributes) return;
    upsertSearchAttributes({
      [ATTRIBUTES.status]: [status],
      [ATTRIBUTES.kind]: error === undefined ? [] : [error.kind],
    });
  }
}

/** Readers get the plan of a resumed run without marks, as they do the first. */
function asRead(event: RunEvent): RunEvent {
  return event.type === 'run:resumed' && event.plan !== undefined
    ? { ...event, plan: withoutMarks(event.plan) }
    : event;
}

/** Events that change the status of a run, except its start, which the client records itself. */
const SHOWN: ReadonlySet<string> = new Set([
  'run:paused',
  'run:resumed',
  'run:completed',
  'run:failed',
  'run:cancelled',
]);
