/** The state of a run in pieces that Temporal carries, and together again. */
import { utf8Bytes } from '../../errors/report/bounded-text.ts';
import { packState, type Snapshot } from '../../machine/state/snapshot.ts';
import type { RunState } from '../../machine/state/state.ts';
import type { StatePart } from './messages.ts';

/** Below what one payload may have, and a third of it where a character may have three bytes. */
const PART_CHARS = { plain: 1_800_000, any: 600_000 };

interface Known {
  readonly seq: number;
  readonly text: string;
  readonly partChars: number;
}

export class StateChunks {
  readonly #state: RunState;
  #known: Known | undefined;

  constructor(state: RunState) {
    this.#state = state;
  }

  part(index: number): StatePart {
    const { text, partChars } = this.#whole();
    return {
      text: text.slice(index * partChars, (index + 1) * partChars),
      parts: Math.ceil(text.length / partChars),
    };
  }

  /** Keeps all parts: a reader of one reads the others too. */
  #whole(): Known {
    const { seq } = this.#state;
    if (this.#known?.seq === seq) return this.#known;
    const text = JSON.stringify(packState(this.#state));
    const isPlain = utf8Bytes(text) === text.length;
    this.#known = { seq, text, partChars: isPlain ? PART_CHARS.plain : PART_CHARS.any };
    return this.#known;
  }
}

export async function readChunks(read: (part: number) => Promise<StatePart>): Promise<Snapshot> {
  const first = await read(0);
  const others = Array.from({ length: first.parts - 1 }, (_, index) => read(index + 1));
  const parts = [first, ...(await Promise.all(others))];
  // written by `StateParts`
  return JSON.parse(parts.map(({ text }) => text).join('')) as Snapshot;
}
