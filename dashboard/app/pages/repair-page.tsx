/** Repair: the file at the failed lines, judged while it is typed; then the same run continues with it. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PersonReport } from '../../../src/errors/report/audiences.ts';
import type { NodeTimeline } from '../../../src/history/node-timeline.ts';
import type { WorkflowVerdict } from '../../../src/workflow/check/validation-json.ts';
import { RepairView, type RunDriftData } from '../../view/repair-view.tsx';
import { PageLink, ProblemBox } from '../../view/parts.tsx';
import type { WorkflowData } from '../../view/workflow-data.ts';
import { call, read, Refusal, role, v1 } from '../api.ts';
import { useAction, useResource, useTitle } from '../hooks.ts';
import { isConflict, whatIsNow } from '../moves.ts';
import { go } from '../navigation.ts';

interface ShownRunAnswer {
  readonly run: string;
  readonly workflow: string;
  readonly status: string;
  readonly nodes: readonly NodeTimeline[];
  readonly error?: PersonReport;
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
  const shown = await read<ShownRunAnswer>(v1('runs', run));
  const { body, etag = '' } = await call<WorkflowData>(v1('workflows', shown.workflow));
  return { shown, workflow: body, etag };
}

function Editor({
  repair,
  reload,
}: {
  readonly repair: Repair;
  readonly reload: () => Promise<void>;
}): JSX.Element {
  const { shown, workflow } = repair;
  const [text, setText] = useState(workflow.text);
  const [accepts, setAccepts] = useState(false);
  const [now, setNow] = useState<string | undefined>(undefined);
  const judged = useJudged(shown, text);
  const saved = useRef({ text: workflow.text, etag: repair.etag });
  const { act, isBusy, problem } = useAction((refused) => {
    if (isConflict(refused)) void whatIsNow(shown.run).then(setNow);
  });
  const isCurrent = judged?.text === text;
  const needsAccept = judged?.drift?.needsAccept === true;
  const mayEdit = role.value === 'edit';
  const isReady = isCurrent && judged.verdict.isValid && (!needsAccept || accepts);
  const saveAndResume = (): Promise<void> => save(shown, text, saved.current, needsAccept);
  return (
    <RepairView
      file={workflow.file}
      original={workflow.text}
      text={text}
      type={setText}
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
        if (isReady) void act(saveAndResume);
      }}
      startOver={() => void reload().then(() => setText(workflow.text))}
    />
  );
}

interface Saved {
  text: string;
  etag: string;
}

/** The file first, where it has changed; then the same run continues with it. */
async function save(
  { run, workflow }: ShownRunAnswer,
  text: string,
  saved: Saved,
  needsAccept: boolean,
): Promise<void> {
  if (saved.text !== text) {
    const { etag = '' } = await call<WorkflowData>(v1('workflows', workflow), {
      method: 'PUT',
      yaml: text,
      headers: { 'if-match': saved.etag },
    });
    Object.assign(saved, { text, etag });
  }
  await read(v1('runs', run, 'resume'), {
    method: 'POST',
    json: needsAccept ? { acceptDrift: true } : {},
  });
  go({ page: 'run', run });
}

/** The verdict about the text and what of the run it changes; the text may be ahead of it for a moment. */
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
            // typed on, or the server is away: it is judged again
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
