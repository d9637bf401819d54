/**
 * Values of runs as answers carry them. A value above 64 KiB is replaced by a link to the whole;
 * its neighbours stay.
 */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { eventForPerson } from '../../history/run-view/event-for-person.ts';
import type { RunEvent } from '../../machine/state/events.ts';

export interface Truncated {
  readonly truncated: true;
  readonly bytes: number;
  readonly href: string;
}

const MAX_BYTES = 64 * 1024;

/** `href` is made only where it is needed. */
export function shownValue<T extends JsonValue>(value: T, href: () => string): T | Truncated {
  // most values are far smaller, and their text need not be counted in bytes
  const text = JSON.stringify(value);
  if (text.length * 3 <= MAX_BYTES) return value;
  const bytes = Buffer.byteLength(text);
  return bytes <= MAX_BYTES ? value : { truncated: true, bytes, href: href() };
}

export const VALUES = ['input', 'output', 'prompt', 'error', 'answer'] as const;
export type ValueName = (typeof VALUES)[number];

/** Where a value of an event is found whole. */
export function valueHref(
  base: string,
  run: string,
  {
    of,
    path,
    at,
  }: { readonly of: ValueName; readonly path?: string | undefined; readonly at?: number },
): string {
  const query = new URLSearchParams({
    ...(path === undefined ? {} : { path }),
    of,
    ...(at === undefined ? {} : { at: String(at) }),
  });
  return `${base}/v1/runs/${encodeURIComponent(run)}/value?${query.toString()}`;
}

/** An event as it is sent: without host paths in its reports, and with links in place of large values. */
export function shownEvent(event: RunEvent, base: string): object {
  const path = 'path' in event ? event.path : undefined;
  const href =
    (of: ValueName): (() => string) =>
    () =>
      valueHref(base, event.run, { of, path, at: event.seq });
  const shown: Record<string, unknown> = { ...eventForPerson(event) };
  if ('input' in event && event.input !== undefined)
    shown['input'] = shownValue(event.input, href('input'));
  if ('output' in event && event.output !== undefined)
    shown['output'] = shownValue(event.output, href('output'));
  if (event.type === 'gate:answered') shown['value'] = shownValue(event.value, href('answer'));
  return shown;
}
