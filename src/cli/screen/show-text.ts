/** One run for a person: how it stands, its nodes, what it cost, and what to do next. */
import { onScreen } from '../../errors/on-screen.ts';
import { jsonText, singleLine } from '../../errors/printable.ts';
import { clip, padEnd, wrap } from '../../errors/render/columns.ts';
import { durationWords, locationWords } from '../../errors/render/words.ts';
import type { NamedDoubt } from '../../machine/doubt.ts';
import { doubtWords } from '../../machine/doubt-details.ts';
import type { NodeHistory } from '../../machine/node-history.ts';
import type { RunView } from '../../drivers/run-view.ts';
import type { StoredRun } from '../stored-run.ts';
import { interruptedText, isInCode, pausedText } from './ending-text.ts';
import { afterFailure } from './failure-panel.ts';
import { tableLines } from './table.ts';
import { countWords, timeWords, usdWords } from './words.ts';

export interface ShowPlace extends StoredRun {
  readonly columns: number;
  readonly nowMs: number;
}

const LABEL_COLUMNS = 10;

export function showText(given: RunView, place: ShowPlace): string {
  const shown = onScreen(given);
  const { run, workflow, status, costs } = shown;
  const { startedAt, endedAt } = place.record;
  const took =
    endedAt === undefined
      ? ''
      : `, took ${durationWords(Date.parse(endedAt) - Date.parse(startedAt))}`;
  const facts: (readonly [string, string])[] = [
    ['file', isInCode(shown.file) ? 'made in code' : (shown.file ?? 'made in code')],
    ['started', `${timeWords(startedAt)}${took}`],
    ['input', jsonText(given.input)],
    ...(shown.output === undefined ? [] : [['output', jsonText(given.output)] as const]),
    ['cost', costLine(costs)],
    ...errorFacts(shown),
    ...shown.in_doubt.map((doubt) => ['in doubt', namedWords(doubt)] as const),
  ];
  return [
    `${workflow}  ${run}  ${status}`,
    '',
    ...facts.flatMap(([label, value]) => labelled(label, value, place.columns)),
    '',
    ...nodeTable(shown.nodes, place.columns),
    ...nextLines(given, place),
  ].join('\n');
}

function namedWords(doubt: NamedDoubt): string {
  return `${doubt.path}: it is unknown whether it did its work: ${singleLine(doubtWords(doubt))}`;
}

function costLine({ totalUsdMicros, failedUsdMicros, attempts }: RunView['costs']): string {
  const failed = failedUsdMicros === 0 ? '' : `, ${usdWords(failedUsdMicros)} of it on failures`;
  return `${usdWords(totalUsdMicros)} for ${countWords(attempts.length, 'attempt')}${failed}`;
}

function errorFacts({ error }: RunView): (readonly [string, string])[] {
  if (error === undefined) return [];
  const where = locationWords(error.location);
  return [
    ['error', `${error.kind}: ${singleLine(error.message)}`],
    ...(where === undefined ? [] : [['where', where] as const]),
    ['next', `${error.action.detail} (${error.action.kind})`],
  ];
}

function nodeTable(nodes: readonly NodeHistory[], columns: number): string[] {
  if (nodes.length === 0) return ['No node has started.'];
  const rows = nodes.map(({ path, status, attempts, startedAt, endedAt, error }) => [
    path,
    status,
    String(attempts),
    endedAt === undefined ? '' : durationWords(Date.parse(endedAt) - Date.parse(startedAt)),
    error === undefined ? '' : `${error.kind}: ${singleLine(error.message)}`,
  ]);
  return tableLines([['NODE', 'STATUS', 'TRIES', 'TOOK', 'ERROR'], ...rows], columns, {
    wrapped: true,
  });
}

function nextLines(
  { run, file, status, waiting }: RunView,
  { events, nowMs }: ShowPlace,
): string[] {
  switch (status) {
    case 'paused':
      return waiting === undefined ? [] : ['', pausedText(run, waiting, { events, nowMs, file })];
    case 'interrupted':
      return ['', interruptedText(run, file)];
    case 'failed':
      return ['', ...afterFailure(run, file)];
    case 'running':
      return ['', `Follow it: errand watch ${run}`];
    case 'completed':
    case 'cancelled':
      return [];
  }
}

/** Inputs and outputs may be long; the whole of them is in the JSON. */
function labelled(label: string, value: string, columns: number): string[] {
  const room = Math.max(24, Math.min(columns, 100) - LABEL_COLUMNS);
  return wrap(clip(value, room * 4), room).map(
    (line, at) => padEnd(at === 0 ? label : '', LABEL_COLUMNS) + line,
  );
}
