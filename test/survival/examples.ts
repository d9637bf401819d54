/** The examples that can be run without a model, and with what. */
import { join } from 'node:path';
import type { JsonObject } from '../../src/errors/json.ts';

export const ROOT = join(import.meta.dirname, '../..');

export interface Example {
  readonly file: string;
  readonly input: JsonObject;
  /** Its quorum is reached by whoever is quicker, or it has a route of its own for what is in doubt. */
  readonly isLoose?: boolean;
}

export const EXAMPLES: readonly Example[] = [
  { file: 'first-run.yaml', input: {}, isLoose: true },
  { file: 'one-ticket.yaml', input: { ticket: 'The button does nothing' } },
  { file: 'tickets.yaml', input: {}, isLoose: true },
  { file: 'six-moves.yaml', input: { fail: 'none' } },
  { file: 'six-moves.yaml', input: { fail: 'busy' } },
  { file: 'six-moves.yaml', input: { fail: 'order' } },
  { file: 'orders.yaml', input: { order: 'A-1001' } },
];

/** These need a model, or someone who calls them. */
export const NOT_ALONE = [
  'triage.yaml',
  'research.yaml',
  'six-moves-child.yaml',
  'support-desk.yaml',
];
