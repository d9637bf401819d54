/** Hides frames of stacks and paths of the host in every view: only the internal record may hold them. */
import { hideHostPaths, hidePathShapes } from './host-paths.ts';
import { hideStackFrames } from './stack-frames.ts';

const NOTHING_LEFT = '…';

/** For views of people and clients. */
export function hideInternals(text: string): string {
  return hideHostPaths(withoutFrames(text));
}

/** The same on every machine, as the decisions of a run must be. */
export function hideInternalShapes(text: string): string {
  return hidePathShapes(withoutFrames(text));
}

function withoutFrames(text: string): string {
  return text === '' ? text : hideStackFrames(text) || NOTHING_LEFT;
}

/** Text that a program printed for its author, who needs its stack to find the mistake. */
const PRINTED: ReadonlySet<string> = new Set(['stderr_tail']);

/** The same for every string within a JSON value. */
export function hideInternalsDeep<T>(value: T): T;
export function hideInternalsDeep(value: unknown): unknown {
  if (typeof value === 'string') return hideInternals(value);
  if (Array.isArray(value)) return value.map((item: unknown) => hideInternalsDeep(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]: [string, unknown]): [string, unknown] => [
    hideHostPaths(key),
    PRINTED.has(key) && typeof item === 'string' ? hideHostPaths(item) : hideInternalsDeep(item),
  ]);
  return Object.fromEntries(entries);
}
