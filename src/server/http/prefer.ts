/** `Prefer: wait=N` (RFC 7240): how long the answer may wait for the run to rest. */

const MOST_SECONDS = 60;

export interface Wait {
  readonly seconds: number;
  /** The value of `Preference-Applied`. */
  readonly applied: string;
}

/** Undefined if nothing is preferred, or it cannot be read. */
export function waitOf(prefer: string | null): Wait | undefined {
  for (const preference of (prefer ?? '').split(',')) {
    const [, written] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i.exec(preference) ?? [];
    if (written === undefined) continue;
    const seconds = Math.min(MOST_SECONDS, Number(written));
    return { seconds, applied: `wait=${seconds}` };
  }
  return undefined;
}
