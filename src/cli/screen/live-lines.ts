/** Renders the live view as lines that fit the screen, purely from a state and a time. */
import { singleLine } from '../../errors/support/printable.ts';
import { clip } from '../../errors/render/columns.ts';
import { durationWords } from '../../errors/render/report-words.ts';
import type { LiveNode, LiveState } from './live-state.ts';
import { paintWith, type Style } from './paint.ts';
import { tokenWords, usdWords } from './number-words.ts';

export interface Frame {
  readonly nowMs: number;
  readonly columns: number;
  readonly rows: number;
  readonly color: boolean;
}

const MARKS: Readonly<Record<LiveNode['status'], readonly [string, Style]>> = {
  running: ['●', 'cyan'],
  waiting: ['◌', 'yellow'],
  asking: ['?', 'yellow'],
  completed: ['✓', 'green'],
  failed: ['✗', 'red'],
  skipped: ['↷', 'dim'],
  cancelled: ['■', 'dim'],
};

const SPINNER = ['◐', '◓', '◑', '◒'];
const SPIN_MS = 200;
/** Shorter times are not shown. */
const MIN_SHOWN_MS = 1000;

export function liveLines(state: LiveState, frame: Frame): string[] {
  const paint = paintWith(frame.color);
  const all = state.nodes();
  const room = Math.max(3, frame.rows - 3);
  const { shown, hidden } = fitting(all, room);
  const paths = new Set(all.map(({ path }) => path));
  const lines = shown.map((node) => nodeLine(node, paths, frame));
  const more = hidden === 0 ? [] : [paint(clip(`  … ${hidden} more`, frame.columns - 1), 'dim')];
  return [headLine(state, frame), ...lines, ...more];
}

/** Where the screen is too small, hides ended nodes first, and keeps running ones and what contains them. */
function fitting(
  all: readonly LiveNode[],
  room: number,
): { readonly shown: readonly LiveNode[]; readonly hidden: number } {
  if (all.length <= room) return { shown: all, hidden: 0 };
  const rank = (node: LiveNode): number => {
    if (node.endedAtMs === undefined || node.isContainer) return 0;
    return node.status === 'failed' ? 1 : 2;
  };
  const kept = new Set(
    all
      .map((node, index) => ({ node, index }))
      .toSorted((a, b) => rank(a.node) - rank(b.node) || b.index - a.index)
      .slice(0, room - 1)
      .map(({ node }) => node),
  );
  return { shown: all.filter((node) => kept.has(node)), hidden: all.length - kept.size };
}

function headLine({ title, startedAtMs, costUsdMicros }: LiveState, frame: Frame): string {
  const tookMs = startedAtMs === undefined ? 0 : Math.max(0, frame.nowMs - startedAtMs);
  const cost = costUsdMicros === 0 ? '' : `  ${usdWords(costUsdMicros)}`;
  const took = tookMs < MIN_SHOWN_MS ? '' : `  ${durationWords(wholeSeconds(tookMs))}`;
  const text = clip(`▸ ${title}${took}${cost}`, frame.columns - 1);
  return paintWith(frame.color)(text, 'bold');
}

function nodeLine(node: LiveNode, paths: ReadonlySet<string>, frame: Frame): string {
  const paint = paintWith(frame.color);
  const { depth, label } = treePosition(node.path, paths);
  const [still, style] = MARKS[node.status];
  const spinning = SPINNER[Math.floor(frame.nowMs / SPIN_MS) % SPINNER.length] ?? still;
  const mark = node.status === 'running' ? spinning : still;
  const detail = detailsOf(node, frame.nowMs).join(', ');
  const indent = '  '.repeat(depth + 1);
  const room = frame.columns - 1 - indent.length - 2;
  const text = clip(detail === '' ? label : `${label}  ${detail}`, Math.max(8, room));
  const name = text.slice(0, label.length);
  return `${indent}${paint(mark, style)} ${name}${paint(text.slice(name.length), 'dim')}`;
}

/** Indents a node below the nearest shown node around it, whose name is not repeated. */
function treePosition(path: string, paths: ReadonlySet<string>): { depth: number; label: string } {
  let depth = 0;
  let from = 0;
  for (let at = 0; at < path.length; at++) {
    const isBoundary = path[at] === '/' || path[at] === '[';
    if (!isBoundary || !paths.has(path.slice(0, at))) continue;
    depth++;
    from = path[at] === '/' ? at + 1 : at;
  }
  return { depth, label: path.slice(from) };
}

function detailsOf(node: LiveNode, nowMs: number): string[] {
  const { status, attempts, requests, target, tokens, costUsdMicros, kind, question, members } =
    node;
  const tookMs = (node.endedAtMs ?? nowMs) - node.startedAtMs;
  const isOver = node.endedAtMs !== undefined;
  return [
    ...(status === 'failed' && kind !== undefined ? [kind] : []),
    ...(members === undefined ? [] : [memberWords(members)]),
    ...(status === 'waiting' ? [waitWords(node, nowMs)] : []),
    ...(status === 'asking' && question !== undefined ? [singleLine(question)] : []),
    ...(attempts > 1 ? [`attempt ${attempts}`] : []),
    ...(requests > 1 ? [`${requests} requests`] : []),
    ...(target === undefined || (isOver && requests === 0) ? [] : [target]),
    ...(tokens === 0 ? [] : [`${tokenWords(tokens)} tokens`]),
    ...(costUsdMicros === 0 ? [] : [usdWords(costUsdMicros)]),
    ...(status !== 'waiting' && tookMs >= MIN_SHOWN_MS
      ? [durationWords(isOver ? tookMs : wholeSeconds(tookMs))]
      : []),
  ];
}

function memberWords({ all, succeeded, failed }: NonNullable<LiveNode['members']>): string {
  return `${succeeded} of ${all} done${failed === 0 ? '' : `, ${failed} failed`}`;
}

function waitWords({ untilMs, kind }: LiveNode, nowMs: number): string {
  const why = kind === undefined ? '' : ` (${kind})`;
  if (untilMs === undefined) return `waiting${why}`;
  const leftMs = Math.max(0, untilMs - nowMs);
  if (leftMs === 0) return `again in a moment${why}`;
  // rounded up, so that the last second is shown as 1 s
  return `again in ${durationWords(Math.ceil(leftMs / 1000) * 1000)}${why}`;
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
