/**
 * The list of runs, with filters in the address, counts by kind, and the moves that are possible
 * from here.
 */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useSignalEffect } from '@preact/signals';
import { resumption, type RunRowData } from '../../view/run-row.tsx';
import { RunsView } from '../../view/runs-view.tsx';
import { counted } from '../../text/words.ts';
import { Confirm, type ConfirmProps } from '../confirm.tsx';
import type { RunFilters } from '../address.ts';
import { read, role, v1, withQuery } from '../api.ts';
import { focusOn } from '../focus.ts';
import { useAction, useResource, useThrottled, useTitle } from '../hooks.ts';
import { lastChange } from '../live.ts';
import { go } from '../navigation.ts';
import { failuresByKind, resumeAll, runsFailedWith } from '../bulk.ts';
import type { BulkResult, FailedRow, KindCounts } from '../bulk.ts';

const REFRESH_MS = 700;

interface RunPageAnswer {
  readonly runs: readonly RunRowData[];
  readonly next?: string;
}

type Asked =
  | { readonly type: 'cancel'; readonly row: RunRowData }
  | {
      readonly type: 'bulk';
      readonly kind: string;
      readonly runs: readonly FailedRow[];
      /** They also failed with it, but this server cannot resume them. */
      readonly left: readonly LeftRow[];
    };

type LeftRow = FailedRow & { readonly obstacle: string };

export function RunsPage({ filters }: { readonly filters: RunFilters }): JSX.Element {
  useTitle('Runs');
  const data = useListData(filters);
  const { list, kinds, workflows, obstacle } = data;
  const { action, asked, bulk, ask, back, confirm, resume, resumeKind } = useMoves(data);
  const mayRun = role.value === 'run' || role.value === 'edit';
  const show = (next: RunFilters): void => go({ page: 'runs', filters: next });
  return (
    <>
      <h1 tabIndex={-1}>Runs</h1>
      <RunsView
        rows={list.data?.runs}
        problem={list.problem ?? action.problem}
        filters={filters}
        kinds={kinds.data}
        workflows={namesOf(workflows.data?.workflows, list.data?.runs, filters.workflow)}
        bulk={bulk && { ...bulk, failedAgain: failedAgain(bulk, kinds.data) }}
        mayRun={mayRun}
        isBusy={action.isBusy}
        obstacle={obstacle}
        filter={show}
        {...pagesOf(filters, list.data?.next, show)}
        cancel={(row) => ask({ type: 'cancel', row })}
        resume={resume}
        resumeAll={resumeKind}
      />
      {asked !== undefined && (
        <AskOnce
          asked={asked}
          isBusy={action.isBusy}
          back={back}
          confirm={
            asked.type === 'bulk' && asked.runs.length === 0 ? undefined : () => confirm(asked)
          }
        />
      )}
    </>
  );
}

/** Moves of one run or of many: those that cannot be undone ask once. */
function useMoves({ kinds, workflows, refresh }: ReturnType<typeof useListData>) {
  const [asked, ask] = useState<Asked | undefined>(undefined);
  const [bulk, setBulk] = useState<DoneInBulk | undefined>(undefined);
  const action = useAction(() => refresh());
  const resume = (row: RunRowData): void =>
    void action
      .act(() => resumeOne(row))
      .then(() => {
        refresh();
        focusOn(rowOf(row));
      });
  const resumeKind = (kind: string): void =>
    void action.act(async () => {
      // new files may exist since the list was read
      const [failed, served] = await Promise.all([runsFailedWith(kind), servedWorkflows()]);
      void workflows.reload();
      const left = failed.flatMap((row): LeftRow | readonly never[] => {
        const obstacle = obstacleOf(row.workflow, served.workflows);
        return obstacle === undefined ? [] : { ...row, obstacle };
      });
      const runs = failed.filter(({ run }) => !left.some((each) => each.run === run));
      ask({ type: 'bulk', kind, runs, left });
    });
  const confirm = (what: Asked): void =>
    void action
      .act(async () => {
        if (what.type === 'cancel') await cancelOne(what.row);
        else setBulk({ ...(await resumeAll(what.kind, what.runs)), before: kinds.data });
      })
      .then((isDone) => {
        ask(undefined);
        refresh();
        if (isDone) focusOn(what.type === 'cancel' ? rowOf(what.row) : '#bulk', 'main h1');
      });
  return { action, asked, bulk, ask, back: () => ask(undefined), confirm, resume, resumeKind };
}

type DoneInBulk = BulkResult & {
  /** The counts at that time: they do not show the result. */
  readonly before: KindCounts | undefined;
};

function failedAgain({ resumed, before }: DoneInBulk, now: KindCounts | undefined): number {
  return now === before ? 0 : resumed.filter((run) => now?.failed.has(run)).length;
}

/** The runs in the list, read again when any run has changed. */
function useListData(filters: RunFilters) {
  const { status, attention, workflow, kind, cursor } = filters;
  const list = useResource(JSON.stringify(filters), () =>
    read<RunPageAnswer>(withQuery(v1('runs'), { status, attention, workflow, kind, cursor })),
  );
  const kinds = useResource('kinds', failuresByKind);
  const workflows = useResource('workflows', servedWorkflows);
  const refresh = useThrottled(() => {
    void list.reload();
    void kinds.reload();
  }, REFRESH_MS);
  useSignalEffect(() => {
    if (lastChange.value !== undefined) refresh();
  });
  const obstacle = (workflow: string): string | undefined =>
    obstacleOf(workflow, workflows.data?.workflows);
  return { list, kinds, workflows, obstacle, refresh };
}

interface ServedWorkflow {
  readonly name: string;
  readonly isValid: boolean;
}

function servedWorkflows(): Promise<{ readonly workflows: readonly ServedWorkflow[] }> {
  return read(v1('workflows'));
}

/** Undefined if the server can resume its runs, or while that is unknown. */
function obstacleOf(
  workflow: string,
  served: readonly ServedWorkflow[] | undefined,
): string | undefined {
  const found = served?.filter(({ name }) => name === workflow);
  if (found === undefined || found.some(({ isValid }) => isValid)) return undefined;
  return found.length === 0 ? 'not served here' : 'file not valid';
}

function AskOnce({
  asked,
  ...rest
}: { readonly asked: Asked } & Omit<ConfirmProps, 'title' | 'children'>): JSX.Element {
  if (asked.type === 'cancel')
    return (
      <Confirm title="Cancel the run?" {...rest}>
        <p>
          {asked.row.workflow} <code>{asked.row.run}</code> ends for good: what runs is stopped, and
          it cannot be resumed. What it has done stays done.
        </p>
      </Confirm>
    );
  const { runs, left, kind } = asked;
  const isOne = runs.length === 1;
  return (
    <Confirm title={`Resume all that failed with ${kind}?`} isGentle {...rest}>
      {runs.length > 0 && (
        <p>
          {counted(runs.length, 'run')} that failed with <code>{kind}</code> ({byWorkflow(runs)})
          will be resumed where {isOne ? 'it' : 'each of them'} stopped. Finished steps keep their
          results; failed ones run again and may cost again. Runs that only wait with it are not
          among them.
        </p>
      )}
      {left.length > 0 && (
        <p>
          {counted(left.length, runs.length === 0 ? 'run' : 'other run')} cannot be resumed by this
          server: {byWorkflow(left)}.
        </p>
      )}
    </Confirm>
  );
}

/** `3 of newsletter, 2 of translate (not served here)`. */
function byWorkflow(runs: readonly (FailedRow & Partial<LeftRow>)[]): string {
  const groups = [...Map.groupBy(runs, ({ workflow }) => workflow)];
  return groups
    .map(([workflow, [first, ...others]]) => {
      const why = first?.obstacle === undefined ? '' : ` (${first.obstacle})`;
      return `${others.length + 1} of ${workflow}${why}`;
    })
    .join(', ');
}

/** The link of its row. */
function rowOf({ run }: RunRowData): string {
  return `#run-${CSS.escape(run)} a`;
}

async function resumeOne(row: RunRowData): Promise<void> {
  await read(v1('runs', row.run, 'resume'), { method: 'POST', json: resumption(row) });
}

async function cancelOne({ run }: RunRowData): Promise<void> {
  await read(v1('runs', run, 'cancel'), { method: 'POST', json: {} });
}

/** Links to older runs and to the newest ones, if there are any others. */
function pagesOf(
  filters: RunFilters,
  next: string | undefined,
  show: (filters: RunFilters) => void,
): { readonly older?: () => void; readonly newest?: () => void } {
  return {
    ...(next === undefined ? {} : { older: () => show({ ...filters, cursor: next }) }),
    ...(filters.cursor === undefined ? {} : { newest: () => show(withoutCursor(filters)) }),
  };
}

function withoutCursor({ cursor: _cursor, ...rest }: RunFilters): RunFilters {
  return rest;
}

/** Runs may belong to workflows that are no longer served. */
function namesOf(
  served: readonly { readonly name: string }[] = [],
  rows: readonly RunRowData[] = [],
  chosen: string | undefined,
): readonly string[] {
  const names = [...served.map(({ name }) => name), ...rows.map(({ workflow }) => workflow)];
  return [...new Set(chosen === undefined ? names : [...names, chosen])].toSorted();
}
