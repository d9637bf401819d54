/**
 * The time axis of a run: legs in a row, each as long as it took. The time between two legs, in
 * which nothing ran, is one narrow gap of any length, so that work stays readable beside days of
 * waiting.
 */
import type { RunView } from '../../../src/history/run-view/view.ts';
import { axisTicks } from '../../text/time.ts';

export interface AxisPart {
  readonly fromMs: number;
  readonly toMs: number;
  /** Per cent of the whole axis. */
  readonly x: number;
  readonly width: number;
  readonly isGap: boolean;
}

export interface TimeAxis {
  readonly parts: readonly AxisPart[];
  /** Round times since the start of their leg. */
  readonly ticks: readonly { readonly x: number; readonly ms: number }[];
  /** The place of a moment, in per cent. */
  readonly at: (ms: number) => number;
}

const GAP_SHARE = 0.1;
const MOST_TICKS = 8;
/** A label further to the right would not fit. */
const LAST_TICK = 96;
/** The room of a label, so that none overlaps another. */
export const LABEL = 6;

type Timed = Pick<RunView, 'legs' | 'startedAt' | 'at' | 'status'>;

export function timeAxis(view: Timed, nowMs: number): TimeAxis {
  const stretches = stretchesOf(view, nowMs);
  const worked = sum(
    stretches.filter(({ isGap }) => !isGap).map(({ fromMs, toMs }) => toMs - fromMs),
  );
  const gaps = stretches.filter(({ isGap }) => isGap).length;
  const gapWidth = gaps === 0 ? 0 : Math.min(100 * GAP_SHARE, 40 / gaps);
  const forWork = 100 - gaps * gapWidth;
  let x = 0;
  const parts = stretches.map(({ fromMs, toMs, isGap }): AxisPart => {
    const width = isGap ? gapWidth : ((toMs - fromMs) / Math.max(1, worked)) * forWork;
    const part = { fromMs, toMs, isGap, x, width };
    x += width;
    return part;
  });
  return { parts, ticks: ticksOf(parts, worked), at: (ms) => placeOf(parts, ms) };
}

/** Legs and the gaps between them; a paused run rests until now. */
function stretchesOf(
  { legs, startedAt, at, status }: Timed,
  nowMs: number,
): { readonly fromMs: number; readonly toMs: number; readonly isGap: boolean }[] {
  const known = legs.length === 0 ? [{ from: startedAt, to: at }] : legs;
  const stretches: { fromMs: number; toMs: number; isGap: boolean }[] = [];
  for (const { from, to } of known) {
    const fromMs = Date.parse(from);
    const last = stretches.at(-1);
    if (last !== undefined && fromMs > last.toMs)
      stretches.push({ fromMs: last.toMs, toMs: fromMs, isGap: true });
    const endMs = to === undefined ? Math.max(nowMs, Date.parse(at)) : Date.parse(to);
    stretches.push({ fromMs, toMs: Math.max(fromMs + 1, endMs), isGap: false });
  }
  const end = stretches.at(-1);
  if (status === 'paused' && end !== undefined && nowMs > end.toMs)
    stretches.push({ fromMs: end.toMs, toMs: nowMs, isGap: true });
  return stretches;
}

function ticksOf(parts: readonly AxisPart[], worked: number): TimeAxis['ticks'] {
  return parts
    .filter(({ isGap }) => !isGap)
    .flatMap(({ fromMs, toMs, x, width }) => {
      const lengthMs = toMs - fromMs;
      const most = Math.max(1, Math.round((MOST_TICKS * lengthMs) / Math.max(1, worked)));
      const isBeforeRest = parts.some((part) => part.isGap && part.x >= x + width - 0.01);
      const room = isBeforeRest ? x + width - LABEL : LAST_TICK;
      return axisTicks(lengthMs, most)
        .map((ms) => ({ x: x + (ms / lengthMs) * width, ms }))
        .filter((tick) => tick.x <= room);
    })
    .filter((tick) => tick.x <= LAST_TICK);
}

function placeOf(parts: readonly AxisPart[], ms: number): number {
  const part = parts.find(({ toMs }) => ms <= toMs) ?? parts.at(-1);
  if (part === undefined) return 0;
  const share = (ms - part.fromMs) / Math.max(1, part.toMs - part.fromMs);
  return part.x + Math.min(1, Math.max(0, share)) * part.width;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
