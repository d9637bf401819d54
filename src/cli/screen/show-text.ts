/** Renders one run for a person: its status, its nodes, its costs, and what to do next. */
import { onScreen } from '../../errors/support/on-screen.ts';
import { jsonText, singleLine } from '../../errors/support/printable.ts';
import { clip, padEnd, wrap } from '../../errors/render/columns.ts';
import { durationWords, locationWords } from '../../errors/render/report-words.ts';
import type { NamedUnknownOutcome } from '../../machine/policy/unknown-outcome.ts';
import { unknownOutcomeWords } from '../../machine/policy/unknown-outcome-details.ts';
import type { NodeTimeline } from '../../history/node-timeline.ts';
import type { RunView } from '../../engine/shown-run.ts';
import type { StoredRun } from '../../engine/errand.ts';
import { interruptedText, isInCode, pausedText } from './ending-text.ts';
import { afterFailure } from './failure-panel.ts';
import { tableLines } from './table-lines.ts';
import { countWords, timeWords, usdWords } from './number-words.ts';

export interface ShowContext extends Pick<StoredRun, 'record' | 'events'> {
  readonly columns: number;
  readonly nowMs: number;
}

const LABEL_COLUMNS = 10;

export function showText(view: RunView, context: ShowContext): string {
  const shown = onScreen(view);
  const { run, workflow, status, costs } = shown;
  const { startedAt, endedAt } = context.record;
  const took =
    endedAt === undefined
      ? ''
      : `, took ${durationWords(Date.parse(endedAt) - Date.parse(startedAt))}`;
  const facts: (readonly [string, string])[] = [
    ['file', isInCode(shown.file) ? 'defined in code' : (shown.file ?? 'defined in code')],
    ['started', `${timeWords(startedAt)}${took}`],
    ['input', jsonText(view.input)],
    ...(shown.output === undefined ? [] : [['output', jsonText(view.output)] as const]),
    ['cost', costLine(costs)],
    ...errorFacts(shown),
    ...shown.in_doubt.map((outcome) => ['in doubt', outcomeWords(outcome)] as const),
  ];
  return [
    `${workflow}  ${run}  ${status}`,
    '',
    ...facts.flatMap(([label, value]) => labelled(label, value, context.columns)),
    '',
    ...nodeTable(shown.nodes, context.columns),
    ...nextLines(view, context),
  ].join('\n');
}

function outcomeWords(outcome: NamedUnknownOutcome): string {
  return `${outcome.path}: its outcome is unknown: ${singleLine(unknownOutcomeWords(outcome))}`;
}

function costLine({ totalUsdMicros, failedUsdMicros, attempts }: RunView['costs']): string {
  const failed = failedUsdMicros === 0 ? '' : `, ${usdWords(failedUsdMicros)} of it on failures`;
  return `${usdWords(totalUsdMicros)} for ${countWords(attempts.length, 'call')}${failed}`;
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

function nodeTable(nodes: readonly NodeTimeline[], columns: number): string[] {
  if (nodes.length === 0) return ['No node has started.'];
  const rows = nodes.map(({ path, status, attempts, startedAt, endedAt, error }) => [
    path,
    status,
    String(attempts),
    endedAt === undefined ? '' : durationWords(Date.parse(endedAt) - Date.parse(startedAt)),
    error === undefined ? '' : `${error.kind}: ${singleLine(error.message)}`,
  ]);
  return tableLines([['NODE', 'STATUS', 'ATTEMPTS', 'TOOK', 'ERROR'], ...rows], columns, {
    wrapped: true,
  });
}

function nextLines(
  { run, file, status, waiting }: RunView,
  { events, nowMs }: ShowContext,
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

/** Long inputs and outputs are cut; the JSON has them whole. */
function labelled(label: string, value: string, columns: number): string[] {
  const room = Math.max(24, Math.min(columns, 100) - LABEL_COLUMNS);
  return wrap(clip(value, room * 4), room).map(
    (line, at) => padEnd(at === 0 ? label : '', LABEL_COLUMNS) + line,
  );
}
