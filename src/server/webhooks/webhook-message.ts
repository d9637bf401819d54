/** The body of a webhook: thin, and the same at every try, so that a receiver can ask for the rest. */
import type { OutgoingNotice } from '../../engine/carry-on.ts';
import { forPublic, type PublicReport } from '../../errors/report/audiences.ts';
import type { RunStatusName } from '../../machine/ports/store-port.ts';
import type { RunEvent } from '../../machine/state/events.ts';

export interface WebhookMessage {
  /** The same at every try: receivers recognise a repetition by it. */
  readonly id: string;
  readonly body: string;
}

interface WebhookBody {
  readonly type: string;
  /** ISO 8601: when it happened. */
  readonly timestamp: string;
  readonly data: {
    readonly run: string;
    readonly workflow: string;
    readonly status: RunStatusName;
    readonly seq: number;
    readonly error?: PublicReport;
    readonly gate?: string;
  };
}

/** Undefined where the run has been removed: there is nothing left to ask for. */
export function webhookMessage({
  run,
  seq,
  type,
  workflow,
  event,
}: OutgoingNotice): WebhookMessage | undefined {
  if (event === null) return undefined;
  const { status, ...more } = factsOf(event);
  const body: WebhookBody = {
    type,
    timestamp: event.at,
    data: { run, workflow, status, seq, ...more },
  };
  return { id: `${run}:${seq}`, body: JSON.stringify(body) };
}

function factsOf(event: RunEvent): Pick<WebhookBody['data'], 'status' | 'error' | 'gate'> {
  switch (event.type) {
    case 'run:completed':
      return { status: 'completed' };
    case 'run:cancelled':
      return { status: 'cancelled' };
    case 'run:failed':
      return { status: 'failed', error: forPublic(event.error) };
    case 'run:paused': {
      const { gate } = event.waiting;
      return { status: 'paused', ...(gate === undefined ? {} : { gate }) };
    }
    case 'gate:opened':
      return { status: 'running', gate: event.gate };
    default:
      return { status: 'running' };
  }
}
