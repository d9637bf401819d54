/** `docs/performance.md`, from the stored results of the benches: all their rows and curves. */
import {
  addedOf,
  bestPeer,
  curveVerdict,
  goalShare,
  growthOf,
  ratioOf,
  verdictOf,
} from '../../bench/figures.ts';
import { besides, figure, goalWords, grouped, withSpread } from '../../bench/lines.ts';
import { median } from '../../bench/measure.ts';
import type { BenchResult, Curve, Measured, Row } from '../../bench/result.ts';
import { reasonFor } from '../../bench/reasons.ts';
import { readStored } from '../../bench/stored.ts';
import { clusterModel } from './cluster-model.ts';

export const PERFORMANCE_PAGE = 'docs/performance.md';

type StoredRow = Row & Measured;

export function renderPerformance(): string {
  const result = readStored() ?? { rows: [], curves: [] };
  const compared = result.rows.filter(
    ({ limit, peers }) => limit !== undefined || peers !== undefined,
  );
  const others = result.rows.filter((row) => !compared.includes(row));
  return [
    '# What Errand costs',
    '',
    'Made by `npm run docs` from the stored results of `npm run bench -- --peers --store` (`bench/results/latest.json`, which holds',
    'every value of every round). Figures are of one machine, below; ratios travel further than times.',
    '',
    '## Beside the least, and beside others',
    '',
    'The limit is the least that any program could do for the same work. A row shows the median, and in brackets the middle half of',
    'the rounds; ratio and difference are taken round by round.',
    '',
    ...table(
      ['work', 'limit', 'best peer', 'Errand', 'to the limit', 'goal', 'verdict'],
      compared.map(cells),
    ),
    '',
    ...otherWork(others),
    '## What we lose at',
    '',
    ...lost(result),
    '',
    ...LEAST,
    '',
    ...twoDays(result.rows),
    '## Growth',
    '',
    'A cost that stays the same however much there is of something is flat. A bench fails when its curve bends.',
    '',
    ...result.curves.flatMap(curveText),
    '## A cluster of n machines, on paper',
    '',
    ...clusterModel(result),
    '',
    '## Peers',
    '',
    ...peersText(result.rows),
    '',
    '## Method and machine',
    '',
    ...METHOD,
    '',
    ...machines(result),
    '',
  ].join('\n');
}

function otherWork(rows: readonly StoredRow[]): readonly string[] {
  if (rows.length === 0) return [];
  const shown = rows.map((row) => [
    row.work,
    row.name,
    withSpread(row.ours, row.unit),
    row.goal === undefined ? '' : goalWords(row.goal, row.unit),
    verdictOf(row),
  ]);
  const heads = ['bench', 'work', 'Errand', 'goal', 'verdict'];
  return ['## Other work', '', ...table(heads, shown), ''];
}

/** Rows that were also measured on an earlier day. */
function twoDays(rows: readonly StoredRow[]): readonly string[] {
  const shown = rows.flatMap((row) => {
    const share = goalShare(row);
    const { earlier, measured } = row;
    if (earlier === undefined || share === undefined) return [];
    return [
      [
        row.name,
        `${earlier.share.toFixed(2)} (${earlier.at})`,
        `${share.toFixed(2)} (${measured.at})`,
      ],
    ];
  });
  if (shown.length === 0) return [];
  return [
    '## On another day',
    '',
    'How much of its goal each work took on the latest two days on which it was measured; up to 1 the goal is met.',
    '',
    ...table(['work', 'earlier', 'latest'], shown),
    '',
  ];
}

const LEAST = [
  'One commit a step is the least that any correct program makes: an effect is durable as requested before it begins, and its result',
  'before the next one begins, so the result of one step and the request of the next share a commit. The limits in SQLite are these',
  'rows and nothing that decides about them. A step that may cost 15 µs in memory, and a row of 12 µs, are together more than twice the row,',
  'and more than the goals of fifty runs at once and of a fan-out, whose rows are shared.',
  'The parts of a step and of a model call are in [decision 31](decisions/0031-cost-of-a-call.md).',
];

const METHOD = [
  '- Start-up, resumes, steps, fan-outs, resting runs and PostgreSQL are measured with the package as it is built, in a folder of its own, as a person would install it; the others import the sources. A peer is installed from its lockfile (`bench/peers`).',
  '- All ways of doing a thing take turns, in rounds, each round in an order that is drawn anew. A way that is not measured in the same rounds is not compared. Each bench has a process of its own.',
  '- “CPU” is the processor time of the whole process, its compiler and its collector included. It is used wherever it can be: the machine had other work, and the clock on the wall would measure that too.',
  '- `npm run bench NAME` measures one of them again, `-- --peers` takes the peers along, and `--store` writes it down for this page.',
];

function cells(row: StoredRow): readonly string[] {
  const { work, name, unit, ours, limit, goal } = row;
  const peer = bestPeer(row);
  return [
    `${work}: ${name}`,
    limit === undefined ? '' : `${figure(median(limit.rounds), unit)} (${limit.is})`,
    peer === undefined ? '' : `${peer.name} ${figure(median(peer.rounds), unit)}`,
    withSpread(ours, unit),
    besides(row),
    goal === undefined ? '' : goalWords(goal, unit),
    verdictOf(row),
  ];
}

/** Missed goals, and work that a peer does better. */
function lost({ rows, curves }: BenchResult): readonly string[] {
  const bent = curves
    .filter((curve) => curveVerdict(curve) === 'missed')
    .map(
      (curve) =>
        `- ${curve.name} costs ${growthOf(curve).toFixed(1)} times as much at ${grouped(curve.points.at(-1)?.at ?? 0)} ${curve.along} as at ${grouped(curve.points[0]?.at ?? 0)}.`,
    );
  const lines = rows.flatMap((row) => {
    const { name, unit, goal, ours } = row;
    const because = [row.note, reasonFor(name)]
      .map((text) => (text ? ` ${sentence(text)}` : ''))
      .join('');
    const peer = bestPeer(row);
    const sign = unit.endsWith('/s') ? -1 : 1;
    const isBeaten = peer !== undefined && sign * (median(ours) - median(peer.rounds)) > 0;
    const stands =
      goal !== undefined && 'plus' in goal
        ? `adds ${figure(addedOf(row)?.median ?? 0, unit)}`
        : `is ${ratioOf(row)?.median.toFixed(2) ?? '?'} times its limit`;
    return [
      ...(verdictOf(row) === 'missed' && goal !== undefined
        ? [
            row.limit === undefined
              ? `- ${name}: ${figure(median(ours), unit)}, and the goal is ${goalWords(goal, unit)}.${because}`
              : `- ${name} ${stands}, and the goal is ${goalWords(goal, unit)}.${because}`,
          ]
        : []),
      ...(isBeaten
        ? [
            `- ${name}: ${peer.name} takes ${figure(median(peer.rounds), unit)}, we take ${figure(median(ours), unit)}.`,
          ]
        : []),
    ];
  });
  const all = [...lines, ...bent];
  return all.length === 0 ? ['Nothing that was measured.'] : all;
}

/** Turns the note of a bench, which is no sentence, into one. */
function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

const BAR = 24;

function curveText(curve: Curve & Measured): readonly string[] {
  const { name, along, unit, points, flat, note } = curve;
  const most = Math.max(...points.map(({ rounds }) => median(rounds)));
  const verdict =
    flat === undefined ? '' : ` It may be ${flat} times at most: ${curveVerdict(curve)}.`;
  return [
    `### ${name}`,
    '',
    ...table(
      [along, unit, ''],
      points.map(({ at, rounds }) => [
        grouped(at),
        withSpread(rounds, unit),
        '█'.repeat(Math.max(1, Math.round((BAR * median(rounds)) / most))),
      ]),
    ),
    '',
    `The last is ${growthOf(curve).toFixed(2)} times the first.${verdict}${note === undefined ? '' : ` ${note}`}`,
    '',
  ];
}

function peersText(rows: readonly StoredRow[]): readonly string[] {
  const known = new Map(
    rows.flatMap(({ peers = [] }) =>
      peers.map((peer) => [
        peer.name,
        'why' in peer ? `${peer.version}: ${peer.why}` : peer.version,
      ]),
    ),
  );
  const measured = [...known].map(([name, version]) => `${name} ${version}`).join(', ');
  return [
    measured === '' ? 'None was measured.' : `Measured in the same rounds: ${measured}.`,
    'LangGraph is left out: its current releases ask for packages that the registry did not have when this was measured.',
  ];
}

function machines({ rows, curves }: BenchResult): readonly string[] {
  const described = [...rows, ...curves].map(({ measured: { at, machine } }) => ({
    line: `${machine.cpu}, ${machine.cores} cores, ${Math.round(machine.memoryMb / 1024)} GiB, ${machine.os}, Node ${machine.node}, SQLite ${machine.sqlite}; measured on ${at}`,
    load: machine.load,
  }));
  return [...new Set(described.map(({ line }) => line))].map((line) => {
    const loads = described.filter((each) => each.line === line).map(({ load }) => load);
    return `- ${line}, with a load of ${Math.min(...loads)} to ${Math.max(...loads)} beside the benches.`;
  });
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)];
}
