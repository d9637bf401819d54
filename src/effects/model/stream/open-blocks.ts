/**
 * The blocks of a reply that have begun and not ended. A piece of any other block makes the reply
 * untrustworthy.
 */
import type { BlockPart, DeltaPart } from '../language-model.ts';

export class OpenBlocks {
  readonly #text = new Map<string, number>();
  readonly #reasoning = new Map<string, number>();

  /** The problem with a part of a block, in the words of the SDK. */
  note({ type, id }: BlockPart | DeltaPart): string | undefined {
    const isText = type === 'text-start' || type === 'text-delta' || type === 'text-end';
    const blocks = isText ? this.#text : this.#reasoning;
    const open = blocks.get(id) ?? 0;
    if (type === 'text-start' || type === 'reasoning-start') {
      blocks.set(id, open + 1);
      return undefined;
    }
    if (open === 0) return `${isText ? 'text' : 'reasoning'} part ${id} not found`;
    if (type === 'text-end' || type === 'reasoning-end') blocks.set(id, open - 1);
    return undefined;
  }
}
