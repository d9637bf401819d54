/** Wrong tokens by address: after ten in a minute, further wrong ones have to wait. */

const WINDOW_MS = 60_000;
const MOST = 10;
/** Addresses that are remembered; the oldest is forgotten first. */
const MAX_ADDRESSES = 10_000;

export class WrongTokens {
  readonly #now: () => number;
  readonly #byAddress = new Map<string, number[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes a wrong token. Returns how long the address has to wait; undefined below the limit. */
  note(address: string): number | undefined {
    const nowMs = this.#now();
    const recent = (this.#byAddress.get(address) ?? []).filter((at) => at > nowMs - WINDOW_MS);
    const [oldest = nowMs] = recent;
    if (recent.length >= MOST) return Math.max(1000, oldest + WINDOW_MS - nowMs);
    this.#byAddress.delete(address);
    this.#byAddress.set(address, [...recent, nowMs]);
    const first = this.#byAddress.keys().next();
    if (this.#byAddress.size > MAX_ADDRESSES && first.done !== true)
      this.#byAddress.delete(first.value);
    return undefined;
  }
}
