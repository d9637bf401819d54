/** Buttons of a row in the list of runs: moves of its run that need no visit of its page. */
import type { JSX, TargetedMouseEvent } from 'preact';
import type { JsonObject } from '../../src/errors/support/safe-json.ts';
import type { Attention } from '../../src/history/attention.ts';
import type { RowRetry, RunRow } from '../../src/history/run-row.ts';

export type RunRowData = RunRow & {
  readonly attention: Attention;
  /** The path where it failed. */
  readonly where?: string;
  /** Its next try, while it is running. */
  readonly retry?: RowRetry;
};

function openRun(row: Element | null): void {
  row?.querySelector<HTMLElement>('a.id')?.click();
}

/** A click anywhere in the row opens the run; its link serves keyboards and screen readers. */
export function openRow(event: TargetedMouseEvent<HTMLTableRowElement>): void {
  const isForOther = event.target instanceof Element && event.target.closest('a, button') !== null;
  const isMarking = document.getSelection()?.isCollapsed === false;
  if (!isForOther && !isMarking) openRun(event.currentTarget);
}

export function RowMoves({
  row,
  obstacle,
  isBusy,
  cancel,
  resume,
}: {
  readonly row: RunRowData;
  /** The reason why this server cannot resume it. */
  readonly obstacle: string | undefined;
  readonly isBusy: boolean;
  readonly cancel: (row: RunRowData) => void;
  readonly resume: (row: RunRowData) => void;
}): JSX.Element {
  const described = `run-${row.run}`;
  return (
    <>
      {row.waiting?.all.some(({ gate }) => gate !== undefined) === true && (
        <button
          type="button"
          class="small"
          aria-describedby={described}
          onClick={(event) => openRun(event.currentTarget.closest('tr'))}
        >
          Answer
        </button>
      )}
      {canResume(row) && obstacle !== undefined && <span class="note">{obstacle}</span>}
      {canResume(row) && obstacle === undefined && (
        <button
          type="button"
          class="small"
          aria-disabled={isBusy}
          aria-describedby={described}
          onClick={() => resume(row)}
        >
          Resume
        </button>
      )}
      {canCancel(row) && (
        <button
          type="button"
          class="small quiet-button"
          aria-describedby={described}
          onClick={() => cancel(row)}
        >
          Cancel
        </button>
      )}
    </>
  );
}

/** Whether a failure parked it; a wait that its file asks for is cut short only on its own page. */
function isParked({ status, waiting }: RunRowData): boolean {
  return (
    status === 'paused' &&
    waiting?.all.some(({ gate, error }) => gate === undefined && error !== undefined) === true
  );
}

function canResume(row: RunRowData): boolean {
  return row.status === 'failed' || row.status === 'interrupted' || isParked(row);
}

/** The body of the request that resumes it. */
export function resumption(row: RunRowData): JsonObject {
  return isParked(row) && row.waiting?.all.some(({ reason }) => reason === 'time') === true
    ? { now: true }
    : {};
}

function canCancel({ status }: RunRowData): boolean {
  return status !== 'completed' && status !== 'cancelled';
}
