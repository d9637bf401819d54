/** The examples, and the arguments of their runs. */
import { join } from 'node:path';
import type { PreparedAnswer } from '../../src/engine/backend.ts';
import type { JsonObject } from '../../src/errors/support/safe-json.ts';

export const ROOT = join(import.meta.dirname, '../..');

export interface Example {
  readonly file: string;
  readonly input: JsonObject;
  /** The result depends on timing, on a route for an uncertain outcome, or on the run's name. */
  readonly isLoose?: boolean;
  readonly answers?: readonly PreparedAnswer[];
}

export const EXAMPLES: readonly Example[] = [
  { file: 'first-run.yaml', input: {}, isLoose: true },
  { file: 'one-ticket.yaml', input: { ticket: 'The button does nothing' } },
  { file: 'tickets.yaml', input: {}, isLoose: true },
  { file: 'six-moves.yaml', input: { fail: 'none' } },
  { file: 'six-moves.yaml', input: { fail: 'busy' } },
  { file: 'six-moves.yaml', input: { fail: 'order' } },
  { file: 'orders.yaml', input: { order: 'A-1001' } },
  { file: 'triage.yaml', input: { ticket: 'Where is my refund?' } },
  { file: 'research.yaml', input: { topic: 'bees' }, isLoose: true },
  {
    file: 'support-desk.yaml',
    input: {},
    isLoose: true,
    answers: [{ gate: 'approve', value: 'pay' }],
  },
];

/** These need a caller. */
export const NOT_ALONE = ['six-moves-child.yaml'];
