/**
 * W1 beside Mastra: what a step costs in memory, one after the other, through the public API of each. Processor time, since
 * nothing waits. Both are in one process, so each collects garbage of the other too; the goal of W1 is that of
 * `steps.bench.ts`, where Errand is alone.
 */
import type * as zod from 'zod';
import type { Errand } from '../../src/engine/errand-interface.ts';
import { builds, type Build } from '../built-package.ts';
import type { ComparedBench, Peer, Row } from '../result.ts';
import { inShuffledRounds, type Way } from '../rounds.ts';
import { spentOn } from '../spent.ts';
import { loadPeer, peerVersion } from './peers.ts';

const LENGTHS = [200, 1000];
const ROUNDS = 15;
const MASTRA = '@mastra/core';

interface Counted {
  readonly index: number;
}

export const bench: ComparedBench = {
  name: 'door: a step in memory',
  compare: async ({ withPeers }) => {
    if (!withPeers) return {};
    const [build] = await builds();
    if (build === undefined) return {};
    const errand = await build.openErrand({
      store: 'memory',
      functions: { lookup: (input) => input },
    });
    try {
      const ways = LENGTHS.flatMap((steps): [string, Way][] => [
        [`errand ${steps}`, errandWay(build, errand, steps)],
        [`mastra ${steps}`, mastraWay(steps)],
      ]);
      for (const [, work] of ways) await work();
      return { rows: rowsOf(await inShuffledRounds(ROUNDS, Object.fromEntries(ways))) };
    } finally {
      await errand.close();
    }
  },
};

function rowsOf(rounds: Readonly<Record<string, readonly number[]>>): readonly Row[] {
  const version = peerVersion(MASTRA);
  return LENGTHS.map((steps): Row => {
    const peer: Peer = { name: 'Mastra', version, rounds: rounds[`mastra ${steps}`] ?? [] };
    return {
      work: 'W1',
      name: `a step in memory beside Mastra, a chain of ${steps}, CPU`,
      unit: 'µs',
      ours: rounds[`errand ${steps}`] ?? [],
      peers: [peer],
    };
  });
}

function errandWay({ workflow }: Build, errand: Errand, steps: number): Way {
  const chain = workflow({
    name: 'chain',
    entryPoint: 'step-0',
    limits: { maxIterations: steps + 1 },
    nodes: Array.from({ length: steps }, (_, index) => ({
      name: `step-${index}`,
      type: 'call' as const,
      function: 'lookup',
      arguments: { index },
      ...(index + 1 < steps ? { routes: [{ to: `step-${index + 1}` }] } : {}),
    })),
  });
  return () =>
    usPerStep(steps, async () => {
      const run = await errand.start(chain);
      return (await run.result()).status === 'completed';
    });
}

/** Written down as far as it is used. */
interface Mastra {
  readonly createStep: (step: object) => object;
  readonly createWorkflow: (options: object) => MastraWorkflow;
}

interface MastraWorkflow {
  then(step: object): MastraWorkflow;
  commit(): MastraWorkflow;
  createRun(): Promise<{ start(options: object): Promise<{ readonly status: string }> }>;
}

function mastraWay(steps: number): Way {
  const { createStep, createWorkflow } = loadPeer(`${MASTRA}/workflows`) as Mastra;
  const { z } = loadPeer('zod') as typeof zod;
  const schema = z.object({ index: z.number() });
  let flow = createWorkflow({ id: `chain-${steps}`, inputSchema: schema, outputSchema: schema });
  for (let index = 0; index < steps; index++)
    flow = flow.then(
      createStep({
        id: `step-${index}`,
        inputSchema: schema,
        outputSchema: schema,
        execute: async ({ inputData }: { inputData: Counted }) => ({ index: inputData.index + 1 }),
      }),
    );
  const committed = flow.commit();
  return () =>
    usPerStep(steps, async () => {
      const run = await committed.createRun();
      return (await run.start({ inputData: { index: 0 } })).status === 'success';
    });
}

async function usPerStep(steps: number, work: () => Promise<boolean>): Promise<number> {
  const spent = await spentOn(steps, async () => {
    if (!(await work())) throw new Error('a run did not complete');
  });
  return spent.cpuMs * 1000;
}
