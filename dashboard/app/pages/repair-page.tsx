/**
 * Repair: the file at the failed lines, checked while a person types; then the same run continues
 * with it.
 */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RunMoves } from '../../../src/history/run-page.ts';
import { isUnhandled } from '../../../src/history/run-view/read-view.ts';
import type { RunView } from '../../../src/history/run-view/view.ts';
import { viewFromJson } from '../../../src/history/run-view/sent-view.ts';
import type { WorkflowVerdict } from '../../../src/workflow/check/validation-json.ts';
import { RepairView, type RepairedNode, type RunDriftData } from '../../view/repair-view.tsx';
import { PageLink, ProblemBox } from '../../view/parts.tsx';
import type { WorkflowData } from '../../view/workflow-data.ts';
import { call, read, Refusal, role, v1 } from '../api.ts';
import { useAction, useResource, useTitle } from '../hooks.ts';
import { isConflict, whatIsNow } from '../moves.ts';
import { go } from '../navigation.ts';
import { focusOn } from '../focus.ts';
import { useRepairText, type FileVersion, type RepairText } from './repair-text.ts';

interface ShownRunAnswer extends RunMoves {
  readonly nodes: readonly RepairedNode[];
}

interface Repair {
  readonly shown: ShownRunAnswer;
  readonly workflow: WorkflowData;
  readonly etag: string;
}

interface Judged {
  readonly text: string;
  readonly verdict: WorkflowVerdict;
  readonly drift: RunDriftData | undefined;
}

const JUDGE_AFTER_MS = 250;

export function RepairPage({ run }: { readonly run: string }): JSX.Element {
  useTitle('Repair');
  const { data, problem, reload } = useResource(`repair ${run}`, () => load(run));
  return (
    <>
      <h1 tabIndex={-1}>Repair</h1>
      <p>
        Run <PageLink to={`/runs/${encodeURIComponent(run)}`}>{run}</PageLink>
        {data !== undefined && (
          <>
            {' '}
            of {data.shown.workflow}, file <code>{data.workflow.file}</code>
          </>
        )}
      </p>
      {problem !== undefined && <ProblemBox problem={problem} />}
      {data !== undefined && <Editor key={data.shown.run} repair={data} reload={reload} />}
    </>
  );
}

async function load(run: string): Promise<Repair> {
  const { view: sent, ...moves } = await read<RunMoves & { readonly view: unknown }>(
    v1('runs', run, 'view'),
  );
  const { body, etag = '' } = await call<WorkflowData>(v1('workflows', moves.workflow));
  return { shown: { ...moves, nodes: nodesOf(viewFromJson(sent)) }, workflow: body, etag };
}

/** Nodes of the workflow itself; those inside others run or rest with them. */
function nodesOf(view: RunView): readonly RepairedNode[] {
  return [...view.steps]
    .filter(({ path }) => !/[[/]/.test(path))
    .map((step) => {
      const { path, status, members } = step;
      const isHandled = status === 'failed' && !isUnhandled(view, step);
      return {
        path,
        isHandled,
        isFinished: isHandled || status === 'completed' || status === 'skipped',
        members,
      };
    });
}

function Editor({
  repair,
  reload,
}: {
  readonly repair: Repair;
  readonly reload: () => Promise<void>;
}): JSX.Element {
  const { shown, workflow } = repair;
  const edited = useRepairText(shown.run, { text: workflow.text, etag: repair.etag });
  const { text, base, changed } = edited;
  const [accepts, setAccepts] = useState(false);
  const [now, setNow] = useState<string | undefined>(undefined);
  const judged = useJudged(shown, text);
  const { act, isBusy, problem, clear } = useAction((refused) => {
    // the current file says more than the refusal
    if (refused.status === 412) void reload().then(clear);
    else if (isConflict(refused)) void whatIsNow(shown.run).then(setNow);
  });
  useEffect(() => {
    if (changed !== undefined) focusOn('#changed-file');
  }, [changed]);
  const isCurrent = judged?.text === text;
  const needsAccept = judged?.drift?.needsAccept === true;
  const mayEdit = role.value === 'edit';
  const isReady =
    isCurrent && judged.verdict.isValid && (!needsAccept || accepts) && changed === undefined;
  return (
    <RepairView
      file={workflow.file}
      original={base.text}
      edited={edited}
      error={shown.error}
      nodes={shown.nodes}
      before={workflow.validation}
      verdict={judged?.verdict}
      isJudged={isCurrent}
      drift={judged?.drift}
      accepts={accepts}
      accept={setAccepts}
      run={shown.run}
      mayEdit={mayEdit}
      isReady={isReady}
      isBusy={isBusy}
      problem={problem}
      now={now}
      save={() => {
        if (isReady) void act(() => save(shown, edited, needsAccept));
      }}
    />
  );
}

/** Saves the file first, if it has changed; then the same run continues with it. */
async function save(
  { run, workflow }: ShownRunAnswer,
  { text, base, saved }: RepairText,
  needsAccept: boolean,
): Promise<void> {
  if (base.text !== text) saved(await write(workflow, text, base));
  await read(v1('runs', run, 'resume'), {
    method: 'POST',
    json: needsAccept ? { acceptDrift: true } : {},
  });
  go({ page: 'run', run });
}

async function write(workflow: string, text: string, { etag }: FileVersion): Promise<FileVersion> {
  const answer = await call<WorkflowData>(v1('workflows', workflow), {
    method: 'PUT',
    yaml: text,
    headers: { 'if-match': etag },
  });
  return { text, etag: answer.etag ?? '' };
}

/**
 * The verdict about the text, and the changes that it means for the run; the text may be ahead of
 * it for a moment.
 */
function useJudged(shown: ShownRunAnswer, text: string): Judged | undefined {
  const [judged, setJudged] = useState<Judged | undefined>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(
      () => {
        void judge(shown, text, stop.signal).then(
          (result) => {
            if (!stop.signal.aborted) setJudged(result);
          },
          () => {
            // the person typed more, or the server is away: it is checked again
          },
        );
      },
      judged === undefined ? 0 : JUDGE_AFTER_MS,
    );
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [shown, text]);
  return judged;
}

async function judge(shown: ShownRunAnswer, text: string, signal: AbortSignal): Promise<Judged> {
  const verdict = await read<WorkflowVerdict>(v1('workflows', shown.workflow, 'validate'), {
    method: 'POST',
    yaml: text,
    signal,
  });
  if (!verdict.isValid) return { text, verdict, drift: undefined };
  try {
    const drift = await read<RunDriftData>(v1('runs', shown.run, 'drift'), {
      method: 'POST',
      yaml: text,
      signal,
    });
    return { text, verdict, drift };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return { text, verdict, drift: undefined };
  }
}
