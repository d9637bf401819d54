/**
 * Pages of lists as they were sent. A page is sent again while nothing was written to the store: lists
 * are asked for far more often than runs change.
 */
import type { EffectClock } from '../../effects/clock.ts';

export interface ListPage {
  readonly text: string;
  /** The `Link` header. */
  readonly link?: string;
}

export interface KeptPagesOptions {
  /** Undefined if the store does not report writes: then nothing is kept. */
  readonly writeMark: () => Promise<string | undefined>;
  readonly clock: EffectClock;
}

interface KeptPage extends ListPage {
  readonly atMs: number;
}

const MAX_PAGES = 50;
/** Processes die and times come without a write. */
const MAX_AGE_MS = 250;

export class KeptPages {
  readonly #options: KeptPagesOptions;
  readonly #pages = new Map<string, KeptPage>();
  #mark: string | undefined;

  constructor(options: KeptPagesOptions) {
    this.#options = options;
  }

  async of(name: string, make: () => Promise<ListPage>): Promise<ListPage> {
    const { writeMark, clock } = this.#options;
    // before the page is made: a page newer than its mark is merely made once more
    const mark = await writeMark();
    if (mark === undefined) return make();
    if (mark !== this.#mark) this.#pages.clear();
    this.#mark = mark;
    const known = this.#pages.get(name);
    const atMs = clock.now();
    if (known !== undefined && Math.abs(atMs - known.atMs) <= MAX_AGE_MS) return known;
    const page = { ...(await make()), atMs };
    if (mark === this.#mark) this.#keep(name, page);
    return page;
  }

  #keep(name: string, page: KeptPage): void {
    if (this.#pages.size >= MAX_PAGES) this.#pages.clear();
    this.#pages.set(name, page);
  }
}
