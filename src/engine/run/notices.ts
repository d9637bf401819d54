/** Which events are announced outside Errand, and under which name. */
import type { Notice } from '../../machine/ports/shared-work-port.ts';
import type { EventBody, RunEvent } from '../../machine/state/events.ts';

export const NOTICE_TYPES = {
  'run:completed': 'run.completed',
  'run:failed': 'run.failed',
  'run:paused': 'run.paused',
  'run:cancelled': 'run.cancelled',
  'gate:opened': 'gate.opened',
} as const satisfies Partial<Record<EventBody['type'], string>>;

export type NoticeType = (typeof NOTICE_TYPES)[keyof typeof NOTICE_TYPES];

const TYPES: Readonly<Partial<Record<string, NoticeType>>> = NOTICE_TYPES;

export function noticesOf(events: readonly Pick<RunEvent, 'seq' | 'type'>[]): readonly Notice[] {
  const notices: Notice[] = [];
  for (const { seq, type } of events) {
    const name = TYPES[type];
    if (name !== undefined) notices.push({ seq, type: name });
  }
  return notices;
}
