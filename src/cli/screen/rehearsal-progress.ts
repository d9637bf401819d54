/**
 * Shows the scenario that a rehearsal is playing, in one line that is redrawn, on a capable
 * terminal.
 */
import { clip } from '../../errors/render/columns.ts';
import { oneLine } from '../../errors/support/printable.ts';
import type { RehearseOptions } from '../../rehearsal/rehearse-plan.ts';
import type { Terminal } from '../terminal.ts';

/** Nobody reads faster. */
const REDRAW_MS = 100;

export function progressOn(
  { screen }: Pick<Terminal, 'screen'>,
  path: string,
): Pick<RehearseOptions, 'onProgress' | 'onEnd'> {
  if (screen === undefined) return {};
  let drawnAtMs = -Infinity;
  return {
    onProgress: (text) => {
      const nowMs = performance.now();
      if (nowMs - drawnAtMs < REDRAW_MS) return;
      const line = clip(oneLine(`${path}: ${text}`), screen.size().columns - 1);
      screen.draw([line], drawnAtMs === -Infinity ? 0 : 1);
      drawnAtMs = nowMs;
    },
    onEnd: () => {
      if (drawnAtMs !== -Infinity) screen.draw([], 1);
    },
  };
}
