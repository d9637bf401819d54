/**
 * An agent with eight tool calls in a separate process, which kills itself at the point that its
 * job names.
 */
import { appendFileSync } from 'node:fs';
import { createErrand, type Errand } from '../../src/engine/errand.ts';
import type { RunStore } from '../../src/machine/ports/store-port.ts';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite.ts';
import { workflow, type WorkflowDefinition } from '../../src/workflow/authoring/define.ts';
import { tool } from '../../src/workflow/authoring/define-tool.ts';
import { killingStore, type KillPoint } from '../survival/kill-points.ts';

export const TOOLS = 8;

export interface LegJob {
  /** The path of the database. */
  readonly store: string;
  /** The file in which tools leave their traces. */
  readonly did: string;
  readonly isIdempotent: boolean;
  readonly kill: KillPoint;
}

export const subject: WorkflowDefinition = workflow({
  name: 't',
  entryPoint: 'a',
  runtime: {
    simulate: {
      m: [
        ...Array.from({ length: TOOLS }, (_, index) => ({
          toolCalls: [{ name: 'step', arguments: { n: index + 1 } }],
        })),
        { answer: 'end' },
      ],
    },
  },
  nodes: [{ name: 'a', model: 'sim/m', prompt: 'hi', tools: ['step'] }],
});

export async function openLeg(
  { store, did, isIdempotent }: Omit<LegJob, 'kill'>,
  around: (opened: RunStore) => RunStore = (opened) => opened,
): Promise<Errand> {
  const sqlite = await openSqliteStore({
    path: store,
    now: Date.now,
    durability: 'normal',
    patienceMs: 100,
  });
  const step = tool({
    writes: true,
    idempotent: isIdempotent,
    run: ({ n }, { idempotencyKey }) => {
      appendFileSync(did, `${JSON.stringify(n)} ${idempotencyKey}\n`);
      return { done: n ?? null };
    },
  });
  return createErrand({ store: around(sqlite), tools: { step } });
}

const [, , text] = process.argv;
if (text?.startsWith('{') === true) {
  const { kill, ...job } = JSON.parse(text) as LegJob;
  const errand = await openLeg(job, (store) => killingStore(store, kill));
  await (await errand.start(subject)).result();
  await errand.close();
}
