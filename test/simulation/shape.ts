/** What a drawn file may contain, and the words that all of them share. */
import type { Random } from '../../src/rehearsal/world/random.ts';

export interface Shape {
  readonly random: Random;
  /** The files that it may call. */
  readonly children: readonly string[];
  readonly isChild: boolean;
  /** Routes may lead back; the file then limits its iterations itself. */
  readonly mayLoop: boolean;
  /** Nothing that depends on how long something takes or which of two ends first. */
  readonly isTimeless: boolean;
  /** Models, tools and what they may spend. */
  readonly hasAgents: boolean;
  readonly names: readonly string[];
}

export type Fields = Record<string, unknown>;

export { SECRET } from '../../src/rehearsal/laws/secret.ts';

export const AUTHOR_KINDS = ['order.missing', 'order.late', 'stock.empty'];
