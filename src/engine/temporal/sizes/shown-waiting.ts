/**
 * The waits of a paused run as Temporal shows them. Its lists carry the memos of a thousand runs, and it
 * ends a run whose memo has over 2 MB: of many waits, only a few are there.
 */
import type { Wait, Waiting } from '../../../machine/state/waiting.ts';
import type { RunMemo } from '../messages.ts';
import { jsonBytes } from './payload-size.ts';

const MAX_BYTES = 16_000;

type Shown = Required<Pick<RunMemo, 'waiting'>> & Pick<RunMemo, 'isCut'>;

export function shownWaiting(waiting: Waiting): Shown {
  if (jsonBytes(waiting) <= MAX_BYTES) return { waiting };
  const all: Wait[] = [];
  let bytes = 0;
  for (const wait of waiting.all) {
    const short = withoutTexts(wait);
    bytes += jsonBytes(short);
    if (bytes > MAX_BYTES) break;
    all.push(short);
  }
  const [first = { reason: waiting.reason }] = all;
  return { waiting: { ...first, all }, isCut: true };
}

/** The rest of it has no bound. */
function withoutTexts({ reason, gate, opening, node, path, until }: Wait): Wait {
  return {
    reason,
    ...(gate === undefined ? {} : { gate }),
    ...(opening === undefined ? {} : { opening }),
    ...(node === undefined ? {} : { node }),
    ...(path === undefined ? {} : { path }),
    ...(until === undefined ? {} : { until }),
  };
}
