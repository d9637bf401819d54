/** The table of steps: every place in the run where a node has started, with its ending. */
import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { StepView } from '../../../src/history/run-view/view.ts';
import { counted } from '../../text/words.ts';
import { Empty, KindLink, Money, Region } from '../parts.tsx';
import {
  isBackingOff,
  isUnhandled,
  waitingFailure,
} from '../../../src/history/run-view/read-view.ts';
import { StatusWord, StepStatusWord } from '../status.tsx';
import type { RunActions, WholeRunPage } from './page-data.ts';
import { TableHead } from '../table-head.tsx';
import { inTreeOrder } from './tree-order.ts';

const COLUMNS = ['Step', 'Status', { numbers: 'Attempts' }, 'Failure', { numbers: 'Cost' }];

/** More than fit a window. */
const MANY = 20;

export interface StepsProps {
  readonly page: WholeRunPage;
  readonly actions: RunActions | undefined;
  /** The most rows to show; undefined shows all. */
  readonly limit?: number | undefined;
  readonly showMore?: (() => void) | undefined;
}

export function Steps({ page, actions, limit, showMore }: StepsProps): JSX.Element {
  const { steps, leftOut } = page.view;
  const row = useKnownRows();
  const [isNarrowed, setIsNarrowed] = useState(false);
  const first = useMemo(
    () => inTreeOrder(limit === undefined ? [...steps] : steps.slice(0, limit)),
    [steps, limit],
  );
  const shown = isNarrowed ? [...steps].filter(hasFailures) : first;
  return (
    <Region
      name="Steps"
      id="steps"
      aside={
        <>
          {actions !== undefined && steps.length > MANY && (
            <OnlyFailures isChosen={isNarrowed} choose={setIsNarrowed} />
          )}
          <span class="quiet">{counted(steps.length, 'step')}</span>
        </>
      }
    >
      {steps.length === 0 && <Empty>No node has started yet.</Empty>}
      {steps.length > 0 && (
        <div class="wide" role="group" aria-label="Table of steps" tabIndex={0}>
          <table class="stacked" role="table" aria-label="Steps">
            <TableHead columns={COLUMNS} />
            <tbody role="rowgroup">
              {shown.map((step) =>
                row({
                  step,
                  isOpen: step.path === page.step,
                  isBad: isUnhandled(page.view, step),
                  actions,
                }),
              )}
            </tbody>
          </table>
        </div>
      )}
      {(leftOut ?? 0) > 0 && (
        <p class="buttons">
          <span>{counted(leftOut ?? 0, 'more step')} ended.</span>
          {actions !== undefined && (
            <button type="button" aria-disabled={actions.isBusy} onClick={actions.loadSteps}>
              Load them
            </button>
          )}
        </p>
      )}
      {!isNarrowed && shown.length < steps.length && showMore !== undefined && (
        <p class="buttons">
          <button type="button" onClick={showMore}>
            Show all {steps.length} steps
          </button>
        </p>
      )}
    </Region>
  );
}

function hasFailures({ status, failures }: StepView): boolean {
  return status === 'failed' || failures.length > 0;
}

function OnlyFailures({
  isChosen,
  choose,
}: {
  readonly isChosen: boolean;
  readonly choose: (isChosen: boolean) => void;
}): JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isChosen}
        onChange={(event) => choose(event.currentTarget.checked)}
      />
      Only those with failures
    </label>
  );
}

interface StepRowProps {
  readonly step: StepView;
  readonly isOpen: boolean;
  /** It failed, and nothing has handled that. */
  readonly isBad: boolean;
  readonly actions: RunActions | undefined;
}

/** An unchanged step is the same object, and its row the same element, so it is not drawn again. */
function useKnownRows(): (props: StepRowProps) => JSX.Element {
  const known = useRef(new WeakMap<StepView, { key: string; row: JSX.Element }>());
  return (props) => {
    const { step, isOpen, isBad } = props;
    const key = `${isOpen} ${isBad}`;
    const before = known.current.get(step);
    if (before?.key === key) return before.row;
    const row = <StepRow key={step.path} {...props} />;
    known.current.set(step, { key, row });
    return row;
  };
}

function StepRow({ step, isOpen, isBad, actions }: StepRowProps): JSX.Element {
  const { path, status, attempts, calls, error, costUsdMicros, members } = step;
  const depth = Math.min(6, depthOf(path));
  const { message } = error ?? waitingFailure(step)?.error ?? {};
  return (
    <tr role="row" class={isOpen ? 'chosen' : ''} data-step={path}>
      <th role="rowheader" scope="row" class={`depth-${depth}`}>
        {actions === undefined ? (
          <code>{path}</code>
        ) : (
          <button
            type="button"
            class="link"
            aria-expanded={isOpen}
            onClick={() => actions.openStep(isOpen ? undefined : path)}
          >
            {path}
          </button>
        )}
      </th>
      <td role="cell">
        <StepStatusWord status={status} isBad={isBad} />
        {members !== undefined && (
          <span class="quiet">
            {' '}
            {members.succeeded} of {members.all}
            {members.failed > 0 ? `, ${members.failed} failed` : ''}
          </span>
        )}
      </td>
      <td role="cell" class="number" data-label="attempts">
        {attempts}
        {calls > attempts && <span class="quiet"> ({counted(calls, 'call')})</span>}
      </td>
      <td role="cell">
        <StepFailureWords step={step} isBad={isBad} />
        {message !== undefined && <span class="message one-line">{message}</span>}
      </td>
      <td role="cell" class="number" data-label="cost">
        <Money micros={costUsdMicros} />
      </td>
    </tr>
  );
}

/** The failure that it ended with, or the number of handled ones. */
function StepFailureWords({
  step,
  isBad,
}: {
  readonly step: StepView;
  readonly isBad: boolean;
}): JSX.Element | null {
  const { error, failures, status } = step;
  const open = waitingFailure(step);
  if (open !== undefined)
    return (
      <span>
        <KindLink kind={open.error.kind} /> {isBackingOff(step) && <StatusWord status="retrying" />}
      </span>
    );
  if (error !== undefined)
    return (
      <span class={isBad ? '' : 'handled'}>
        <KindLink kind={error.kind} />{' '}
        {status === 'failed' && !isBad && <StatusWord status="handled" />}
      </span>
    );
  if (failures.length === 0) return null;
  const kinds = [...new Set(failures.map((failure) => failure.error.kind))];
  return (
    <span class="handled">
      {kinds.map((kind, index) => (
        <span key={kind}>
          {index === 0 ? '' : ', '}
          <KindLink kind={kind} />
        </span>
      ))}{' '}
      <StatusWord status="handled" />
    </span>
  );
}

/** The number of groups and children around it. */
export function depthOf(path: string): number {
  return path.split('/').length - 1;
}
