/**
 * The repair of a workflow file: the text, its errors, its possible cost, and the nodes that run
 * again.
 */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PersonReport } from '../../src/errors/report/audiences.ts';
import { locationWords } from '../../src/errors/render/report-words.ts';
import type { MemberCounts } from '../../src/history/run-view/view.ts';
import type { ShownProblem } from '../../src/server/http/problem-response.ts';
import type { WorkflowVerdict } from '../../src/workflow/check/validation-json.ts';
import { failedLine } from '../text/expression-line.ts';
import { movedLine, unifiedDiff } from '../text/line-diff.ts';
import { counted } from '../text/words.ts';
import { AcceptDrift } from './accept-drift.tsx';
import { Command, CopyButton, Empty, KindLink, ProblemBox, Region } from './parts.tsx';
import { Diagnostics, WorstCaseTable } from './verdict.tsx';

export interface RunDriftData {
  readonly changed: readonly {
    readonly node: string;
    readonly pointer: string;
    readonly isFinished: boolean;
  }[];
  readonly needsAccept: boolean;
}

/** A node that has started. */
export interface RepairedNode {
  readonly path: string;
  /** The node does not run again. */
  readonly isFinished: boolean;
  /** The node failed, and a route handled that. */
  readonly isHandled: boolean;
  /** The members of a group, by their endings. */
  readonly members?: MemberCounts | undefined;
}

export interface RepairViewProps {
  readonly run: string;
  readonly file: string;
  /** The file that the text is based on. */
  readonly original: string;
  readonly edited: EditedText;
  readonly error: PersonReport | undefined;
  readonly nodes: readonly RepairedNode[];
  /** The verdict about the current file. */
  readonly before: WorkflowVerdict;
  /** The verdict about the text; undefined until it arrives. */
  readonly verdict: WorkflowVerdict | undefined;
  /** Whether the verdict covers the current text. */
  readonly isJudged: boolean;
  readonly drift: RunDriftData | undefined;
  readonly accepts: boolean;
  readonly accept: (accepts: boolean) => void;
  readonly mayEdit: boolean;
  readonly isReady: boolean;
  readonly isBusy: boolean;
  readonly problem: ShownProblem | undefined;
  readonly now: string | undefined;
  readonly save: () => void;
}

/** The text of the editor, and the ways to exchange it with the file. */
interface EditedText {
  readonly text: string;
  readonly type: (text: string) => void;
  /** The file, if somebody else has changed it since. */
  readonly changed: { readonly text: string } | undefined;
  /** The text was left unsaved when the page was left. */
  readonly isBack: boolean;
  readonly load: () => void;
  readonly keep: () => void;
  readonly takeBack: (() => void) | undefined;
}

export function RepairView(props: RepairViewProps): JSX.Element {
  const { error, verdict, before, original, edited } = props;
  const { text } = edited;
  const field = useRef<HTMLTextAreaElement>(null);
  // a workflow that this one calls has a file of its own
  const { line: failed, isInOtherFile } = placeIn(props, error);
  const line = failed === undefined ? undefined : movedLine(original, text, failed);
  const goTo = (to: number): void => {
    if (field.current !== null) showLine(field.current, to);
  };
  useEffect(() => {
    // scrolls to the failed line, without taking the focus from the heading
    if (line !== undefined && field.current !== null) scrollToLine(field.current, line);
  }, []);
  return (
    <>
      {error !== undefined && (
        <Behind error={error} line={line} isInOtherFile={isInOtherFile} goTo={goTo} />
      )}
      <div class="repair">
        <div class="editor">
          <label for="workflow-file">Workflow file</label>
          <OtherText {...props} />
          <div class="numbered">
            <pre class="numbers" aria-hidden="true">
              {lineNumbers(text, line)}
            </pre>
            <textarea
              ref={field}
              id="workflow-file"
              class="code"
              spellcheck={false}
              autocomplete="off"
              wrap="off"
              rows={Math.min(32, Math.max(12, text.split('\n').length + 1))}
              value={text}
              onInput={(event) => edited.type(event.currentTarget.value)}
              onScroll={(event) => alignNumbers(event.currentTarget)}
            />
          </div>
          <Refused {...props} />
          <Ending {...props} />
        </div>
        <div class="judgement">
          <Region name="Diagnostics" id="diagnostics">
            {verdict === undefined && <Empty>Checking…</Empty>}
            {verdict !== undefined && <Diagnostics verdict={verdict} goTo={goTo} />}
          </Region>
          <Region name="Worst case" id="worst-case">
            <WorstCaseTable
              now={before.files[0]?.worstCase}
              after={text === original ? undefined : verdict?.files[0]?.worstCase}
            />
          </Region>
          <Drift {...props} />
        </div>
      </div>
    </>
  );
}

interface PlaceInFile {
  /** Undefined if it is unknown, or in another file. */
  readonly line: number | undefined;
  readonly isInOtherFile: boolean;
}

function placeIn(
  { file: own, original }: RepairViewProps,
  error: PersonReport | undefined,
): PlaceInFile {
  const isInOtherFile = (error?.location?.file ?? own) !== own;
  const isHere = error !== undefined && !isInOtherFile;
  return { line: isHere ? failedLine(error, original.split('\n')) : undefined, isInOtherFile };
}

/** The failure that the repair is for. */
function Behind({
  error,
  line,
  isInOtherFile,
  goTo,
}: PlaceInFile & {
  readonly error: PersonReport;
  readonly goTo: (line: number) => void;
}): JSX.Element {
  return (
    <div class="behind">
      <p>
        <strong>{error.title}</strong> <KindLink kind={error.kind} />
      </p>
      <p class="message">{error.message}</p>
      <p>{error.action.detail}</p>
      {isInOtherFile && <p>It failed in another file: {locationWords(error.location)}.</p>}
      {line !== undefined && (
        <p>
          <button type="button" class="link" onClick={() => goTo(line)}>
            Go to line {line}
          </button>
        </p>
      )}
    </div>
  );
}

function Refused({ problem, now }: RepairViewProps): JSX.Element | null {
  if (problem === undefined) return null;
  return <ProblemBox problem={problem}>{now !== undefined && <p>{now}</p>}</ProblemBox>;
}

/**
 * The texts beside the one in the editor: another person's version of the file, or a replaced text.
 */
function OtherText({ file, original, edited }: RepairViewProps): JSX.Element | null {
  const { changed, isBack, takeBack, load, keep } = edited;
  const loads = (
    <button type="button" onClick={load}>
      Load the file as it is now
    </button>
  );
  if (changed !== undefined)
    return (
      <div class="problem" role="alert" id="changed-file" tabIndex={-1}>
        <p>
          <strong>{file} was changed since you opened it.</strong> Your text is still here, and was
          not saved. The change to the file:
        </p>
        <pre class="value diff" tabIndex={0}>
          {unifiedDiff(file, original, changed.text)}
        </pre>
        <p class="buttons">
          <button type="button" onClick={keep}>
            Keep my text
          </button>
          {loads}
        </p>
        <p class="quiet">
          With your text the next save replaces that change. With the file as it is now you can take
          your text back.
        </p>
      </div>
    );
  if (takeBack !== undefined)
    return (
      <p class="notice buttons">
        This is the file as it is now.
        <button type="button" onClick={takeBack}>
          Take my text back
        </button>
      </p>
    );
  return isBack ? (
    <p class="notice buttons">Your text from before, not saved yet. {loads}</p>
  ) : null;
}

function lineNumbers(text: string, failed: number | undefined): ComponentChildren {
  const numbers = text.split('\n').map((_, index) => index + 1);
  if (failed === undefined || failed > numbers.length) return numbers.join('\n');
  return (
    <>
      {numbers.slice(0, failed - 1).map((each) => `${each}\n`)}
      <span class="here">▸{failed}</span>
      {numbers.slice(failed).map((each) => `\n${each}`)}
    </>
  );
}

function alignNumbers(field: HTMLTextAreaElement): void {
  const numbers = field.previousElementSibling;
  if (numbers !== null) numbers.scrollTop = field.scrollTop;
}

function scrollToLine(field: HTMLTextAreaElement, line: number): void {
  const height = field.scrollHeight / Math.max(1, field.value.split('\n').length);
  field.scrollTop = Math.max(0, (line - 4) * height);
  alignNumbers(field);
}

/** Selects the line, so that a person finds it. */
function showLine(field: HTMLTextAreaElement, line: number): void {
  const lines = field.value.split('\n');
  const from = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  field.focus();
  field.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
  scrollToLine(field, line);
}

/** Lists the nodes that keep their results, and those that run again. */
function Drift({ drift, nodes, accepts, accept, isJudged }: RepairViewProps): JSX.Element {
  const changed = new Map((drift?.changed ?? []).map(({ node, isFinished }) => [node, isFinished]));
  const kept = nodes.filter(
    ({ isFinished, members }) => isFinished || (members?.succeeded ?? 0) > 0,
  );
  const again = nodes.filter(({ isFinished }) => !isFinished).map(({ path }) => path);
  const fresh = [...changed.keys()].filter((node) => !nodes.some(({ path }) => path === node));
  return (
    <Region name="Drift" id="drift">
      <p class="quiet">What the run keeps, and what it does again with this text.</p>
      {!isJudged && <Empty>Checking…</Empty>}
      <h3 id="kept-name">Keeps its result</h3>
      <ul aria-labelledby="kept-name">
        {kept.map(({ path, isHandled, isFinished, members }) => (
          <li key={path}>
            <code>{path}</code>
            {!isFinished && (
              <span class="quiet">
                {' '}
                {members?.succeeded} of {counted(members?.all ?? 0, 'member')}
              </span>
            )}
            {isHandled && <span class="quiet"> its failure was handled</span>}
            {isFinished && changed.has(path) && (
              <span class="quiet"> its text has changed; the result is of the old one</span>
            )}
          </li>
        ))}
        {kept.length === 0 && <li class="quiet">nothing has finished yet</li>}
      </ul>
      <h3 id="again-name">Runs again</h3>
      <ul aria-labelledby="again-name">
        {again.map((path) => (
          <li key={path}>
            <code>{path}</code>
            {changed.has(path) && <span class="quiet"> with its new text</span>}
          </li>
        ))}
        {fresh.map((node) => (
          <li key={node}>
            <code>{node}</code>
            <span class="quiet"> with its new text, when the run comes to it</span>
          </li>
        ))}
        {again.length + fresh.length === 0 && <li class="quiet">nothing</li>}
      </ul>
      {drift?.needsAccept === true && <AcceptDrift accepts={accepts} accept={accept} />}
    </Region>
  );
}

function Ending(props: RepairViewProps): JSX.Element {
  const { mayEdit, isReady, isBusy, save, drift, accepts, run, file, original } = props;
  const command = `errand resume ${run}${drift?.needsAccept === true ? ' --accept-drift' : ''}`;
  if (mayEdit)
    return (
      <p class="buttons save">
        <button type="button" class="primary" disabled={!isReady || isBusy} onClick={save}>
          Save and resume
        </button>
        {drift?.needsAccept === true && !accepts && (
          <span class="quiet">Finished nodes have changed: accept the drift first.</span>
        )}
      </p>
    );
  const diff = unifiedDiff(file, original, props.edited.text);
  return (
    <Region name="Changes to apply" id="changes">
      {diff === '' ? (
        <Empty>Change the text above; the difference to apply to the file is shown here.</Empty>
      ) : (
        <>
          <pre class="value diff" tabIndex={0}>
            {diff}
          </pre>
          <CopyButton name="Copy changes" text={diff} />
        </>
      )}
      <p>Then resume the run:</p>
      <Command command={command} />
    </Region>
  );
}
