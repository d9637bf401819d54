/** Texts in parts that Temporal carries, and together again: the state of a run, and large events. */
import { utf8Bytes } from '../../../errors/report/bounded-text.ts';
import { ErrandError } from '../../../errors/thrown/errand-error.ts';
import { packState } from '../../../machine/state/snapshot.ts';
import type { RunState } from '../../../machine/state/state.ts';
import type { TextPart } from '../messages.ts';

/** Below what one payload may have, and a third of it where a character may have three bytes. */
const PART_CHARS = { plain: 1_800_000, any: 600_000 };

export class PartedText {
  readonly #text: string;
  readonly #partChars: number;

  constructor(text: string) {
    this.#text = text;
    const isPlain = utf8Bytes(text) === text.length;
    this.#partChars = isPlain ? PART_CHARS.plain : PART_CHARS.any;
  }

  part(index: number): TextPart {
    return {
      text: this.#text.slice(index * this.#partChars, (index + 1) * this.#partChars),
      parts: Math.ceil(this.#text.length / this.#partChars),
    };
  }
}

/** The state of a run that may move on while it is read. */
export class StateParts {
  readonly #state: RunState;
  #known: { readonly seq: number; readonly text: PartedText } | undefined;

  constructor(state: RunState) {
    this.#state = state;
  }

  /**
   * A part of the current state, or of the one that was read before, if that is named and still
   * there.
   */
  part(index: number, wanted?: number): TextPart {
    const { seq } = this.#state;
    if (this.#known === undefined || (this.#known.seq !== seq && this.#known.seq !== wanted))
      this.#known = { seq, text: new PartedText(JSON.stringify(packState(this.#state))) };
    return { ...this.#known.text.part(index), seq: this.#known.seq };
  }
}

/** How often a text is read again that another reader, or another worker, has replaced meanwhile. */
const MOST_READINGS = 20;

/** Reads all parts of one text. */
export async function readParts(
  read: (part: number, seq: number | undefined) => Promise<TextPart>,
): Promise<string> {
  for (let left = MOST_READINGS; left > 0; left--) {
    const first = await read(0, undefined);
    const others = Array.from({ length: first.parts - 1 }, (_, at) => read(at + 1, first.seq));
    const all = [first, ...(await Promise.all(others))];
    if (all.every(({ seq }) => seq === first.seq)) return all.map(({ text }) => text).join('');
  }
  const message = 'The run moves on faster than its state can be read';
  throw new ErrandError({ kind: 'store.unavailable', message });
}
