/** The text of a rehearsal: its figures with the gaps, then each surprise with the way to it. */
import { oneLine } from '../../errors/support/printable.ts';
import { durationWords } from '../../errors/render/report-words.ts';
import { FIGURES, percentOf } from '../../rehearsal/figures/minimum.ts';
import { routeWords } from '../../rehearsal/report/route-words.ts';
import { fileOfRule, type AtRule } from '../../rehearsal/report/rule-file.ts';
import type { RehearsalResult, ScenarioResult } from '../../rehearsal/report/rehearsal-result.ts';
import type { Rehearsed } from '../../rehearsal/rehearse-plan.ts';
import { warningText, type RehearsalWarning } from '../../rehearsal/report/warnings.ts';
import type { Scenario } from '../../rehearsal/scenarios/scenario.ts';
import { shellWord } from '../../errors/support/shell-word.ts';
import { countWords } from './number-words.ts';
import { noteLines, placeOf, placeWritten } from './rehearsal-notes.ts';
import { tableLines } from './table-lines.ts';

export interface RehearsalTextOptions {
  readonly columns: number;
  readonly elapsedMs: number;
  readonly isVerbose: boolean;
  readonly isQuiet: boolean;
  /** Only scenarios whose name has this are played. */
  readonly only?: string;
  /** The file or plan as it was typed. */
  readonly typed: string;
}

/** Rows that one figure may have. */
const MOST_ROWS = 8;
const MOST_NAMES = 5;

export function rehearsalText(rehearsed: Rehearsed, options: RehearsalTextOptions): string {
  const { result } = rehearsed;
  const parts = options.isQuiet
    ? []
    : [headline(result, options), figureLines(rehearsed, options).join('\n')];
  return [
    ...parts,
    ...(options.isQuiet ? [] : [noteLines(rehearsed).join('\n')]),
    ...(options.isVerbose ? [scenarioLines(rehearsed, options).join('\n')] : []),
    ...surpriseTexts(rehearsed, options),
    ...(result.warnings ?? []).map((warning) => warningLines(warning, options)),
    ...differenceTexts(result, options),
    ...endLines(rehearsed, options),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function headline(
  { file, scenarios, coverage }: RehearsalResult,
  { elapsedMs }: RehearsalTextOptions,
): string {
  const unreached = scenarios.filter(({ verdict }) => verdict === 'unreached').length;
  const counts = [
    countWords(scenarios.length, 'scenario'),
    ...(unreached === 0 ? [] : [`${unreached} unreached`]),
    countWords(coverage.crashes.total, 'crash point'),
    `${(elapsedMs / 1000).toFixed(1)} s`,
    'no network',
  ];
  return oneLine(`${file}   ${counts.join(', ')}`);
}

type Row = readonly string[];

/** One figure: its first gap beside it, the others below. */
function figureRows(name: string, figure: Counted, missed: readonly Row[]): Row[] {
  const [first = [], ...more] = missed.slice(0, MOST_ROWS);
  const rest = missed.length - MOST_ROWS;
  const head = [name, `${figure.covered}/${figure.total}`, percent(figure)];
  return [
    [...head, ...first],
    ...more.map((row) => ['', '', '', ...row]),
    ...(rest > 0 ? [['', '', '', `and ${rest} more`]] : []),
  ];
}

function excludedRows(list: readonly { readonly reason: string }[]): Row[] {
  return list.length === 0 ? [] : [[`${list.length} excluded (${list[0]?.reason ?? ''})`]];
}

function missedRows(rehearsed: Rehearsed): Readonly<Record<string, readonly Row[]>> {
  const { routes, moves, kinds, doubt, crashes, mutants } = rehearsed.result.coverage;
  const ruleCells = (at: AtRule, what = ''): Row => {
    const { node, rule, line } = at;
    const name = routeWords(node, rule);
    const file = fileOfRule(rehearsed, at);
    return [what === '' ? name : `${name}: ${what}`, line === 0 ? '' : `${file}:${line}`];
  };
  return {
    routes: [
      ...routes.missed.map((each) => [...ruleCells(each), each.why]),
      ...excludedRows(routes.excluded),
    ],
    moves: [
      ...moves.missed.map((each) => [...ruleCells(each, each.what), each.why]),
      ...excludedRows(moves.excluded),
    ],
    kinds: [
      ...kinds.missed.map(({ node, kind, why }) => [`${node}: ${kind}`, '', why]),
      ...excludedRows(kinds.excluded),
    ],
    doubt: doubt.missed.map(({ node, why }) => [node, '', why]),
    crashes: crashes.missed.map(({ scenario, commit, when, why }) => [
      `${scenario}: ${when} commit ${commit}`,
      '',
      why,
    ]),
    mutants: [
      ...(mutants?.missed ?? []).map((each) => [...ruleCells(each, each.change), 'survives']),
      ...(mutants?.excluded ?? []).map((each) => [
        ...ruleCells(each, each.change),
        `equivalent: ${each.reason}`,
      ]),
    ],
  };
}

/** Leaves out the coverage of scenarios that `--only` excluded. */
function figureLines(
  rehearsed: Rehearsed,
  { only }: Pick<RehearsalTextOptions, 'only'>,
): readonly string[] {
  const { result } = rehearsed;
  const missed = only === undefined ? missedRows(rehearsed) : {};
  const table = FIGURES.flatMap((name) => {
    const figure = result.coverage[name];
    return figure === undefined ? [] : figureRows(name, figure, missed[name] ?? []);
  });
  const widths = [0, 1, 2, 3, 4].map((at) =>
    Math.max(...table.map((row) => (row.length > at + 1 ? (row[at] ?? '').length : 0))),
  );
  return table.map((row) => {
    const cells = row.map((cell, at) =>
      oneLine(cell).padEnd(at < row.length - 1 ? (widths[at] ?? 0) : 0),
    );
    return `  ${cells.join('  ')}`.trimEnd();
  });
}

interface Counted {
  readonly covered: number;
  readonly total: number;
}

function percent(figure: Counted): string {
  return `${Math.floor(percentOf(figure))} %`;
}

function scenarioLines(
  { result, scenarios }: Rehearsed,
  { columns }: RehearsalTextOptions,
): string[] {
  const rows = result.scenarios.map((scenario) => [
    scenario.name,
    scenario.verdict,
    scenario.why ?? endOf(scenario),
  ]);
  const table = tableLines(rows, columns - 2, { wrapped: true }).map((line) => `  ${line}`);
  // step by step only where few were asked for
  const steps =
    scenarios.length > MOST_ROWS
      ? []
      : scenarios.flatMap(({ name, summary }) => [
          `  ${name}`,
          ...(summary?.way ?? []).map((line) => `    ${line}`),
        ]);
  return [...table, ...steps];
}

function endOf({ error, routes, virtualMs }: ScenarioResult): string {
  const way = routes.map(({ node, kind, move }) => `${node} ${kind} ${move}`).join(', ');
  const time = virtualMs === 0 ? '' : `after ${durationWords(virtualMs)}`;
  return [error?.kind ?? '', way, time].filter((part) => part !== '').join('; ');
}

/** Scenarios that end alike are shown once. */
function surpriseTexts(rehearsed: Rehearsed, options: RehearsalTextOptions): readonly string[] {
  const groups = new Map<string, Scenario[]>();
  for (const scenario of rehearsed.scenarios) {
    if (scenario.judgement.verdict !== 'surprise') continue;
    const key = scenario.judgement.why ?? '';
    groups.set(key, [...(groups.get(key) ?? []), scenario]);
  }
  return [...groups].map(([why, [first, ...others]]) =>
    first === undefined ? '' : surpriseText(first, { why, others, options, rehearsed }),
  );
}

interface SurpriseGroup {
  readonly why: string;
  readonly others: readonly Scenario[];
  readonly options: RehearsalTextOptions;
  readonly rehearsed: Rehearsed;
}

function surpriseText(first: Scenario, { why, others, options, rehearsed }: SurpriseGroup): string {
  const { summary, name } = first;
  const error = summary?.result.status === 'failed' ? summary.result.error : undefined;
  const at = error === undefined ? placeWritten(first) : placeOf(error, rehearsed.result.file);
  const place = at === '' ? '' : ` at ${at}`;
  const way = options.isVerbose ? (summary?.way ?? []) : (summary?.way ?? []).slice(-6);
  const names = others.slice(0, MOST_NAMES).map((each) => each.name);
  const rest = others.length - names.length;
  return [
    '',
    `surprise: ${oneLine(name)}`,
    `  ${oneLine(why)}${place}`,
    ...way.map((line) => `    ${oneLine(line)}`),
    aloneLine(options.typed, name),
    ...(others.length === 0
      ? []
      : [`  the same: ${names.map(oneLine).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`]),
  ].join('\n');
}

function warningLines(
  warning: RehearsalWarning,
  { typed }: Pick<RehearsalTextOptions, 'typed'>,
): string {
  const { scenario, file, line } = warning;
  return [
    '',
    `warning: ${oneLine(warningText(warning))} at ${file}:${line}`,
    scenario === undefined
      ? '  Write `idempotent: true` where doing it twice does no harm; else let a person decide with `ask`.'
      : aloneLine(typed, scenario),
  ].join('\n');
}

function differenceTexts(
  { scenarios }: RehearsalResult,
  { typed }: Pick<RehearsalTextOptions, 'typed'>,
): readonly string[] {
  return scenarios
    .filter(({ differs = [] }) => differs.length > 0)
    .map(({ name, differs = [] }) =>
      [
        '',
        `not as expected: ${oneLine(name)}`,
        ...differs.map(
          ({ field, expected, got }) =>
            `  ${field}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got) ?? 'nothing'}`,
        ),
        aloneLine(typed, name),
      ].join('\n'),
    );
}

/** The command that plays one scenario alone, step by step. */
function aloneLine(typed: string, scenario: string): string {
  return `  alone: errand rehearse ${shellWord(typed)} --only ${shellWord(scenario)} --verbose`;
}

function endLines(
  { result, isBroken }: Rehearsed,
  { typed, only }: RehearsalTextOptions,
): readonly string[] {
  const { record, storms } = result;
  const isNone = only !== undefined && result.scenarios.length === 0;
  return [
    ...(isNone
      ? [
          `No scenario has ${JSON.stringify(only)} in its name; --verbose without --only lists them.`,
        ]
      : []),
    ...result.below.map(
      ({ figure, min, percent: got }) =>
        `below --min ${figure}=${min}: ${Math.floor(got * 10) / 10} %`,
    ),
    ...(record === undefined
      ? []
      : (['changed', 'added', 'gone'] as const).flatMap((what) =>
          record[what].length === 0
            ? []
            : [`${what} since it was recorded: ${record[what].join('; ')}`],
        )),
    ...(storms === undefined
      ? []
      : [
          `storms   ${storms.runs - storms.broken.length}/${storms.runs}`,
          ...storms.broken
            .slice(0, MOST_NAMES)
            .map((seed) => `  alone: errand rehearse ${shellWord(typed)} --storm 1 --seed ${seed}`),
        ]),
    ...(isBroken
      ? [`A promise of Errand is broken: this is a defect of Errand. Seed: ${result.seed}`]
      : []),
  ];
}
