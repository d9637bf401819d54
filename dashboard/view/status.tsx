/** A status as icon and word, never by colour alone. */
import type { JSX } from 'preact';
import type { Attention } from '../../src/history/attention.ts';
import type { RunStatusName } from '../../src/machine/ports/store-port.ts';
import type { StepStatus } from '../../src/history/run-view/view.ts';
import { spaced } from '../text/words.ts';

export type AnyStatus =
  | RunStatusName
  | StepStatus
  | Attention
  | 'handled'
  | 'open'
  | 'valid'
  | 'invalid';

/** Outlines in a box of 16 by 16; each is recognisable without its colour. */
export const SHAPES: Readonly<Record<AnyStatus, string>> = {
  running: 'M8 2a6 6 0 1 0 6 6M8 5v3l2 2',
  paused: 'M6 4v8M10 4v8',
  completed: 'M3 8.5l3.2 3.2L13 4.8',
  valid: 'M3 8.5l3.2 3.2L13 4.8',
  failed: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  invalid: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  cancelled: 'M8 2a6 6 0 1 0 .01 0M4 12l8-8',
  interrupted: 'M9 2L4 9h4l-1 5 5-7H8z',
  waiting: 'M4 2h8M4 14h8M5 2c0 4 6 4 6 6s-6 2-6 6M11 2c0 4-6 4-6 6s6 2 6 6',
  waiting_time: 'M4 2h8M4 14h8M5 2c0 4 6 4 6 6s-6 2-6 6M11 2c0 4-6 4-6 6s6 2 6 6',
  waiting_person: 'M8 7.5a2.6 2.6 0 1 0-.01 0M3 14c.3-3.4 2.4-4.6 5-4.6s4.700 1.200 5 4.600',
  in_doubt: 'M5.500 5.500a2.500 2.500 0 1 1 3.600 2.200c-.8.500-1.100 1-1.100 1.800M8 12.500v.2',
  retrying: 'M13 8a5 5 0 1 1-1.500-3.500M13 2v3h-3',
  skipped: 'M3 4l5 4-5 4M9 4l4 4-4 4',
  handled: 'M3 8h7M7.500 4.500L11 8l-3.500 3.500M14 3v10',
  open: 'M8 2a6 6 0 1 0 .01 0',
  none: 'M4 8h8',
};

export function StatusIcon({ status }: { readonly status: AnyStatus }): JSX.Element {
  return (
    <svg
      class="icon"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      aria-hidden="true"
      focusable="false"
    >
      <path d={SHAPES[status]} />
    </svg>
  );
}

export function StatusWord({
  status,
  tone = toneOf(status),
}: {
  readonly status: AnyStatus;
  /** Set if it differs from the usual tone of the status. */
  readonly tone?: Tone;
}): JSX.Element {
  return (
    <span class="status" data-tone={tone}>
      <StatusIcon status={status} />
      <span>{spaced(status)}</span>
    </span>
  );
}

/** The status of a step: a handled failure is not red. */
export function StepStatusWord({
  status,
  isBad,
}: {
  readonly status: StepStatus;
  /** It failed, and nothing has handled that. */
  readonly isBad: boolean;
}): JSX.Element {
  return (
    <StatusWord status={status} tone={status === 'failed' && !isBad ? 'quiet' : toneOf(status)} />
  );
}

/** The status of a run, or the reason why a person should look at it if that says more. */
export function RunStatusWords({
  status,
  attention,
}: {
  readonly status: RunStatusName;
  readonly attention: Attention;
}): JSX.Element {
  const saysMore = attention !== 'none' && attention !== status;
  return (
    <span class="statuses">
      <StatusWord status={status} />
      {saysMore && <StatusWord status={attention} />}
    </span>
  );
}

export type Tone = 'bad' | 'good' | 'ask' | 'busy' | 'quiet';

/** Tones by the need for action; a handled failure is no bad news. */
function toneOf(status: AnyStatus): Tone {
  switch (status) {
    case 'failed':
    case 'invalid':
      return 'bad';
    case 'completed':
    case 'valid':
      return 'good';
    case 'waiting_person':
    case 'in_doubt':
    case 'interrupted':
      return 'ask';
    case 'running':
    case 'retrying':
      return 'busy';
    case 'paused':
    case 'cancelled':
    case 'waiting':
    case 'waiting_time':
    case 'skipped':
    case 'handled':
    case 'open':
    case 'none':
      return 'quiet';
  }
}
