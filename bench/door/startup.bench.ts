/**
 * W8: the cost of importing the package and of starting the command, beside a Node that does
 * nothing.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ComparedBench, Goal, Peer, Row } from '../result.ts';
import { install } from './installed.ts';
import { peerAddress, peerVersion } from './peers.ts';
import { cpuMsOf } from './processes.ts';
import { inShuffledRounds } from '../rounds.ts';

const ROUNDS = 25;

const SMALL = `workflow: {name: small, entry_point: label, runtime: {simulate: {clerk: [{answer: {ok: true}}]}}}
nodes:
  - {name: label, type: agent, model: sim/clerk, prompt: Hello, tools: [], output: {ok: {type: boolean}}}
`;

const COMMANDS: Readonly<Record<string, Goal | undefined>> = {
  '--help': undefined,
  'validate small.yaml': { times: 2.5 },
  'run small.yaml --quiet': { times: 3.5 },
};

const IMPORTED_PEERS = ['cockatiel', 'p-retry', '@mastra/core', '@dbos-inc/dbos-sdk'];

export const bench: ComparedBench = {
  name: 'door: import and start',
  compare: async ({ withPeers }) => {
    const { folder, command, remove } = install();
    try {
      writeFileSync(join(folder, 'small.yaml'), SMALL);
      const program = (name: string, text: string): string => {
        writeFileSync(join(folder, `${name}.mjs`), text);
        return join(folder, `${name}.mjs`);
      };
      const peers = withPeers ? IMPORTED_PEERS : [];
      const programs: Readonly<Record<string, readonly string[]>> = {
        bare: [program('bare', '')],
        errand: [program('import', `import 'errand';`)],
        ...Object.fromEntries(
          Object.keys(COMMANDS).map((typed) => [typed, [command, ...typed.split(' ')]]),
        ),
        ...Object.fromEntries(
          peers.map((peer, at) => [
            peer,
            [program(`peer-${at}`, `import '${peerAddress(peer)}';`)],
          ]),
        ),
      };
      // the first run fills Node's compile cache, and makes the store
      for (const args of Object.values(programs)) cpuMsOf(args, folder);
      const rounds = await inShuffledRounds(
        ROUNDS,
        Object.fromEntries(
          Object.entries(programs).map(([name, args]) => [name, () => cpuMsOf(args, folder)]),
        ),
      );
      const limit = { is: 'a Node that does nothing', rounds: rounds['bare'] ?? [] };
      const row = (name: string, of: string, goal: Goal | undefined): Row => ({
        work: 'W8',
        name,
        unit: 'ms',
        ours: rounds[of] ?? [],
        limit,
        ...(goal === undefined ? {} : { goal }),
      });
      const beside = peers.map((peer): Peer => ({
        name: peer,
        version: peerVersion(peer),
        rounds: rounds[peer] ?? [],
      }));
      return {
        rows: [
          { ...row('import of `errand`, CPU', 'errand', { plus: 15 }), peers: beside },
          ...Object.entries(COMMANDS).map(([typed, goal]) =>
            row(`\`errand ${typed}\`, CPU`, typed, goal),
          ),
        ],
      };
    } finally {
      remove();
    }
  },
};
