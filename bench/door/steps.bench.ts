/**
 * W1 and W2 beside Mastra: the cost of one step of a chain, through the public API of each. In
 * memory by processor time, since nothing waits, and on disk by the clock. Both run in one process,
 * so each also collects garbage of the other; the goals are those of `steps.bench.ts`, where Errand
 * is alone.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as zod from 'zod';
import type { Errand } from '../../src/engine/errand-interface.ts';
import { builds, type Build } from '../built-package.ts';
import { chain } from '../chain.ts';
import type { ComparedBench, Peer, Row } from '../result.ts';
import { inShuffledRounds, type Way } from '../rounds.ts';
import { spentOn, type Spent } from '../spent.ts';
import { loadPeer, peerVersion } from './peers.ts';

const ROUNDS = 15;
const MASTRA = '@mastra/core';
const LIBSQL = '@mastra/libsql';

/** The work of both: the number of steps, whether they are stored, and the measure. */
interface Work {
  readonly name: string;
  readonly goal: string;
  readonly steps: number;
  readonly isKept: boolean;
  readonly by: keyof Spent;
}

const WORKS: readonly Work[] = [
  ...[200, 1000].map((steps): Work => ({
    name: `a step in memory beside Mastra, a chain of ${steps}, CPU`,
    goal: 'W1',
    steps,
    isKept: false,
    by: 'cpuMs',
  })),
  {
    name: 'a step in SQLite beside Mastra with LibSQL, NORMAL as it sets it, a chain of 50, by the clock',
    goal: 'W2',
    steps: 50,
    isKept: true,
    by: 'wallMs',
  },
];

/** One of the two, and its work. */
type Name = `${'errand' | 'mastra'}: ${string}`;

export const bench: ComparedBench = {
  name: 'door: a step beside Mastra',
  compare: async ({ withPeers }) => {
    const [build] = withPeers ? await builds() : [];
    if (build === undefined) return {};
    const directory = mkdtempSync(join(tmpdir(), 'errand-bench-'));
    const opened = await open(build, directory);
    try {
      const ways = WORKS.flatMap((work): [Name, Way][] => [
        [`errand: ${work.name}`, errandWay(build, opened, work)],
        [`mastra: ${work.name}`, mastraWay(opened, work)],
      ]);
      for (const [, way] of ways) await way();
      return { rows: rowsOf(await inShuffledRounds(ROUNDS, Object.fromEntries(ways))) };
    } finally {
      await opened.close();
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

function rowsOf(rounds: Readonly<Record<string, readonly number[]>>): readonly Row[] {
  return WORKS.map(({ name, goal, isKept }): Row => {
    const version = [MASTRA, ...(isKept ? [LIBSQL] : [])].map(peerVersion).join(' + ');
    const peer: Peer = {
      name: isKept ? 'Mastra with LibSQL' : 'Mastra',
      version,
      rounds: rounds[`mastra: ${name}`] ?? [],
    };
    return {
      work: goal,
      name,
      unit: 'µs',
      ours: rounds[`errand: ${name}`] ?? [],
      peers: [peer],
    };
  });
}

interface Opened {
  readonly memory: Errand;
  readonly kept: Errand;
  readonly storage: { close(): Promise<void> };
  readonly close: () => Promise<void>;
}

async function open(build: Build, directory: string): Promise<Opened> {
  const { openErrand, openSqliteStore } = build;
  const functions = { lookup: (input: unknown) => input };
  const memory = await openErrand({ store: 'memory', functions });
  const path = join(directory, 'errand.db');
  const store = await openSqliteStore({ path, now: Date.now, durability: 'normal' });
  const kept = await openErrand({ store, functions });
  const { LibSQLStore } = loadPeer(LIBSQL) as {
    readonly LibSQLStore: new (options: object) => Opened['storage'];
  };
  const storage = new LibSQLStore({ id: 'bench', url: `file:${join(directory, 'mastra.db')}` });
  const close = async (): Promise<void> => {
    await Promise.all([memory.close(), kept.close(), storage.close()]);
  };
  return { memory, kept, storage, close };
}

function errandWay(build: Build, { memory, kept }: Opened, work: Work): Way {
  const workflow = chain(build, work.steps);
  const errand = work.isKept ? kept : memory;
  return () =>
    usPerStep(work, async () => {
      const run = await errand.start(workflow);
      return (await run.result()).status === 'completed';
    });
}

/** Declared only as far as it is used. */
interface MastraParts {
  readonly createStep: (step: object) => object;
  readonly createWorkflow: (options: object) => MastraWorkflow;
}

interface MastraWorkflow {
  then(step: object): MastraWorkflow;
  commit(): MastraWorkflow;
  createRun(): Promise<{ start(options: object): Promise<{ readonly status: string }> }>;
}

type NewMastra = new (options: object) => { getWorkflow(name: string): MastraWorkflow };

function mastraWay({ storage }: Opened, work: Work): Way {
  const { createStep, createWorkflow } = loadPeer(`${MASTRA}/workflows`) as MastraParts;
  const { z } = loadPeer('zod') as typeof zod;
  const schema = z.object({ index: z.number() });
  let flow = createWorkflow({ id: 'chain', inputSchema: schema, outputSchema: schema });
  for (let index = 0; index < work.steps; index++)
    flow = flow.then(
      createStep({
        id: `step-${index}`,
        inputSchema: schema,
        outputSchema: schema,
        execute: async ({ inputData }: { readonly inputData: { readonly index: number } }) => ({
          index: inputData.index + 1,
        }),
      }),
    );
  const committed = flow.commit();
  const { Mastra } = loadPeer(MASTRA) as { readonly Mastra: NewMastra };
  const made = work.isKept
    ? new Mastra({ workflows: { chain: committed }, storage, logger: false }).getWorkflow('chain')
    : committed;
  return () =>
    usPerStep(work, async () => {
      const run = await made.createRun();
      return (await run.start({ inputData: { index: 0 } })).status === 'success';
    });
}

async function usPerStep({ steps, by }: Work, run: () => Promise<boolean>): Promise<number> {
  const spent = await spentOn(steps, async () => {
    if (!(await run())) throw new Error('a run did not complete');
  });
  return spent[by] * 1000;
}
