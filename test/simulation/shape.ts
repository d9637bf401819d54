/** The possible content of a generated file, and the words that all parts share. */
import type { Random } from '../../src/rehearsal/world/random.ts';

export interface Shape {
  readonly random: Random;
  /** The files that it may call. */
  readonly children: readonly string[];
  readonly isChild: boolean;
  /** Routes may lead back; the file then limits its iterations itself. */
  readonly mayLoop: boolean;
  /** Nothing depends on how long something takes or which of two ends first. */
  readonly isTimeless: boolean;
  /** Models, tools and their budgets. */
  readonly hasAgents: boolean;
  readonly names: readonly string[];
}

export type Fields = Record<string, unknown>;

export { SECRET } from '../../src/rehearsal/laws/secret.ts';

export const AUTHOR_KINDS = ['order.missing', 'order.late', 'stock.empty'];
