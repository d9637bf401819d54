/** Results of calls: data for programs, and a short text for the model. */
import { forModel, forPerson, type ModelReport } from '../errors/report/audiences.ts';
import { rebuild } from '../errors/report/build.ts';
import { utf8Bytes } from '../errors/report/bounded-text.ts';
import type { ErrorReport } from '../errors/report/report.ts';
import { jsonText, visible } from '../errors/support/printable.ts';
import type { JsonValue } from '../errors/support/safe-json.ts';
import type { NextMove } from '../history/next-moves.ts';
import type { OpenQuestion } from '../history/open-questions.ts';
import type { RunRow } from '../history/run-row.ts';
import type { WorkflowVerdict } from '../workflow/check/validation-json.ts';
import { withToolAction } from './actions.ts';
import type { ExplainedRun, ReadRun } from './host.ts';
import type { BuiltinName } from './tools.ts';

export interface ToolResult {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }];
  readonly structuredContent: object;
  readonly isError?: true;
}

const MAX_CONTENT_BYTES = 4 * 1024;
const MAX_ABOUT_BYTES = 3 * 1024;
/** A larger value is read with `get_run` and its path. */
const MAX_VALUE_BYTES = 32 * 1024;

/** Values of the run itself, which no node has. */
export const RUN_VALUES = { $input: 'input', $output: 'output' } as const;

function resultOf(
  structuredContent: object,
  text: string,
  { isError = false }: { readonly isError?: boolean } = {},
): ToolResult {
  return {
    // clients show the text on terminals; the exact values are in the data
    content: [{ type: 'text', text: clipped(visible(text), MAX_CONTENT_BYTES) }],
    structuredContent,
    ...(isError ? { isError: true } : {}),
  };
}

/** The result of a refused call, with the same kind as on every surface. */
export function refusedResult(report: ErrorReport): ToolResult {
  const error = forPerson(withToolAction(report));
  const lines = ['The call was refused.', failureText(forModel(report)), error.action.detail];
  return resultOf({ error }, lines.join('\n'), { isError: true });
}

/** The result for a run that was started or moved, of which nothing more is known. */
export function unreadResult(run: string, report: ErrorReport): ToolResult {
  // the run exists, whatever failed
  const isBegun = report.outcome !== 'not_started';
  const known = withToolAction(report);
  const error = forPerson(isBegun ? known : rebuild(known, { outcome: 'unknown' }));
  const lines = [
    `Run ${run} exists but could not be shown. Do not start another in its place.`,
    failureText(forModel(report)),
    `To read it: get_run ${jsonText({ run })}.`,
  ];
  return resultOf({ run, error }, lines.join('\n'), { isError: true });
}

/**
 * The run as `errand run --format json` prints it, with the possible next moves.
 * @param refusal - why the run did not take an answer of the call
 */
export function runResult(read: ReadRun, refusal?: ErrorReport): ToolResult {
  const { view, status } = read;
  const { run, workflow, output, error, waiting, in_doubt: inDoubt, costs } = view;
  const nextMoves = read.nextMoves.map((move) => moveOf(move, run));
  const data = {
    run,
    workflow,
    status,
    ...(output === undefined ? {} : { output: shownOutput(output) }),
    ...(error === undefined ? {} : { error }),
    ...(waiting === undefined ? {} : { waiting }),
    ...(inDoubt.length === 0 ? {} : { in_doubt: inDoubt }),
    costs,
    nextMoves,
  };
  const lines = [
    `Run ${run} of ${workflow}: ${status}.`,
    refusal === undefined ? '' : `The answer was not taken: ${forModel(refusal).message}`,
    // the next moves must not be cut off
    clipped(aboutRun(read).join('\n'), MAX_ABOUT_BYTES),
    ...nextMoves.map(moveText),
  ].filter((line) => line !== '');
  return resultOf(data, lines.join('\n'), { isError: status === 'failed' });
}

function shownOutput(output: JsonValue): JsonValue {
  const bytes = utf8Bytes(JSON.stringify(output));
  return bytes <= MAX_VALUE_BYTES ? output : { truncated: true, bytes, path: '$output' };
}

function aboutRun({ view, status, questions }: ReadRun): readonly string[] {
  const { output, error, waiting } = view;
  switch (status) {
    case 'completed':
      return output === undefined ? [] : [`Output: ${valueText(output)}`];
    case 'failed':
      return error === undefined ? [] : [failureText(forModel(error))];
    case 'paused': {
      const until = waiting?.until === undefined ? [] : [`It waits until ${waiting.until}.`];
      return [...questions.map(questionText), ...until];
    }
    case 'running':
      return ['It continues. Read it again with get_run and wait_seconds.'];
    case 'cancelled':
    case 'interrupted':
      return [];
  }
}

function questionText({ gate, prompt, options, answeredBy, error }: OpenQuestion): string {
  const choices = options.map((each) => jsonText(each)).join(', ');
  const who = answeredBy === 'person' ? ' Only a person may answer.' : '';
  const failure = error === undefined ? '' : `\n${failureText(forModel(error))}`;
  return `Question ${gate}: ${prompt}\nOptions: ${choices}.${who}${failure}`;
}

/** The model's view of a failure, and nothing else. */
function failureText({ kind, message, retryable }: ModelReport): string {
  return `${kind}: ${message}\n${retryText(retryable)}`;
}

function retryText(retryable: boolean | null): string {
  if (retryable === null) return 'It is not known whether a retry can help.';
  return retryable ? 'A retry can help.' : 'A retry alone cannot help.';
}

const TOOLS: Readonly<Record<NextMove['move'], BuiltinName>> = {
  answer: 'answer_question',
  resume: 'resume_run',
  retry: 'resume_run',
  cancel: 'cancel_run',
};

const NAMES = { value: 'value', from: 'from', acceptDrift: 'accept_drift' } as const;

interface ToolMove extends Omit<NextMove, 'method' | 'path' | 'body' | 'needs'> {
  readonly tool: BuiltinName;
  readonly arguments: object;
  readonly needs?: readonly string[];
}

/** The same move as a call of a tool. */
function moveOf(
  { method: _method, path: _path, body = {}, needs, ...move }: NextMove,
  run: string,
): ToolMove {
  return {
    ...move,
    tool: TOOLS[move.move],
    arguments: { run, ...body },
    ...(needs === undefined ? {} : { needs: needs.map((field) => NAMES[field]) }),
  };
}

function moveText({ move, tool, arguments: given, needs = [] }: ToolMove): string {
  const added = needs.length === 0 ? '' : `, and add ${needs.join(', ')}`;
  return `To ${move} it: ${tool} ${jsonText(given)}${added}.`;
}

export function valueResult(value: JsonValue): ToolResult {
  return resultOf({ value }, valueText(value));
}

export function listResult(runs: readonly RunRow[]): ToolResult {
  const lines = runs.map(({ run, workflow, status, error }) =>
    [
      run,
      workflow,
      status,
      ...(error === undefined ? [] : [`${error.kind}: ${error.message}`]),
    ].join('  '),
  );
  return resultOf({ runs }, lines.length === 0 ? 'No run fits.' : lines.join('\n'));
}

export function explainResult(explained: ExplainedRun): ToolResult {
  const { run, life } = explained;
  const lines = life.map(({ status, path, error }) => {
    const where = path === undefined ? '' : ` at ${path}`;
    return `${failureText(forModel(error))}\nStatus${where}: ${status}.`;
  });
  const text = lines.length === 0 ? `Nothing failed in run ${run}.` : lines.join('\n\n');
  return resultOf(explained, text);
}

export function kindResult(row: object): ToolResult {
  return resultOf(row, jsonText(row, 2));
}

export function verdictResult(verdict: WorkflowVerdict): ToolResult {
  const lines = verdict.files.flatMap(({ file, diagnostics }) =>
    diagnostics.map(
      ({ severity, message, line, column, suggestion }) =>
        `${file}:${line}:${column} ${severity}: ${message}${suggestion === undefined ? '' : ` (${suggestion})`}`,
    ),
  );
  const head = verdict.isValid ? 'The workflow is valid.' : 'The workflow is not valid.';
  return resultOf(verdict, [head, ...lines].join('\n'));
}

function valueText(value: JsonValue): string {
  return typeof value === 'string' ? value : jsonText(value, 2);
}

/** Cuts between characters, and marks the cut. */
function clipped(text: string, maxBytes: number): string {
  if (utf8Bytes(text) <= maxBytes) return text;
  const mark = '…';
  const room = maxBytes - utf8Bytes(mark);
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += utf8Bytes(character);
    if (bytes > room) break;
    end += character.length;
  }
  return text.slice(0, end) + mark;
}
