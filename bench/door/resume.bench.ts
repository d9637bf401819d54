/**
 * W4: a run of 1,000 steps resumes after `kill -9`, measured from the start of a process to its
 * end, by the library and by the command. The limit is a Node that reads the same log from the same
 * file and folds nothing.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ComparedBench, Goal, Row } from '../result.ts';
import { install } from './installed.ts';
import { cpuMsOf } from './processes.ts';
import { inShuffledRounds } from '../rounds.ts';

const STEPS = 1000;
const ROUNDS = 20;
/** A run that waits for a person is no failure of the command. */
const WAITING = [0, 4, 5, 7];

const PREPARE = `
import { openErrand, workflow } from 'errand';
const long = workflow({
  name: 'long', entryPoint: 'a', limits: { maxIterations: 10_000 },
  state: { n: { type: 'number', default: 0 } },
  nodes: [
    { name: 'a', type: 'set', values: { n: 1 }, state: { n: '{{ state.n + 1 }}' },
      routes: [{ to: 'gate', when: '{{ state.n >= ${STEPS} }}' }, { to: 'a' }] },
    { name: 'gate', type: 'human_gate', prompt: 'Go?', options: [{ label: 'Yes', value: 'yes' }] },
  ],
});
const errand = await openErrand({ store: 'sqlite:.errand/errand.db' });
const run = await errand.start(long);
await run.result();
process.stdout.write(run.id, () => process.kill(process.pid, 'SIGKILL'));
await new Promise(() => undefined);
`;

const RESUME = `
import { openErrand } from 'errand';
const errand = await openErrand({ store: 'sqlite:.errand/errand.db' });
const run = await errand.resume(process.argv[2]);
for await (const event of run.events()) if (event.type !== 'run:started') break;
await errand.close();
`;

const READ = `
const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
const db = new DatabaseSync('.errand/errand.db');
let read = 0;
for (const row of db.prepare('SELECT events FROM events ORDER BY id').iterate())
  read += typeof row.events === 'string' ? JSON.parse(row.events).length : row.events.length;
db.close();
if (read === 0) throw new Error('There is no log');
`;

export const bench: ComparedBench = {
  name: 'door: resume of 1,000 steps after kill -9',
  compare: async () => {
    const { folder, command, remove } = install();
    try {
      for (const [name, text] of Object.entries({ prepare: PREPARE, resume: RESUME, read: READ }))
        writeFileSync(join(folder, `${name}.mjs`), text);
      const prepared = spawnSync(process.execPath, ['prepare.mjs'], {
        cwd: folder,
        encoding: 'utf8',
      });
      const run = prepared.stdout;
      if (run === '') throw new Error(`Nothing was prepared\n${prepared.stderr}`);
      cpSync(join(folder, '.errand'), join(folder, 'killed'), { recursive: true });
      const once = (args: readonly string[]) => (): number => {
        // every leg makes the log longer
        rmSync(join(folder, '.errand'), { recursive: true, force: true });
        cpSync(join(folder, 'killed'), join(folder, '.errand'), { recursive: true });
        return cpuMsOf(args, folder, { allowed: WAITING });
      };
      const ways = {
        bare: once(['--eval', '0']),
        read: once(['read.mjs']),
        library: once(['resume.mjs', run]),
        command: once([command, 'resume', run, '--quiet']),
      };
      // the first run fills Node's compile cache
      for (const way of Object.values(ways)) way();
      const rounds = await inShuffledRounds(ROUNDS, ways);
      const limit = { is: 'a Node that reads the log', rounds: rounds.read };
      const row = (name: string, ours: readonly number[], goal: Goal): Row => ({
        work: 'W4',
        name,
        unit: 'ms',
        ours,
        limit,
        goal,
        note: `The log is ${Math.round(sizeOf(folder) / 1024)} KiB on disk.`,
      });
      return {
        rows: [
          row(`resume of ${STEPS} steps by the library, CPU`, rounds.library, { times: 2 }),
          row(`resume of ${STEPS} steps by the command, CPU`, rounds.command, { times: 2.5 }),
        ],
      };
    } finally {
      remove();
    }
  },
};

function sizeOf(folder: string): number {
  const files = globSync('killed/errand.db*', { cwd: folder, withFileTypes: true });
  const { stdout } = spawnSync(
    'stat',
    ['-c', '%s', ...files.map(({ name }) => join(folder, 'killed', name))],
    {
      encoding: 'utf8',
    },
  );
  return stdout.split('\n').reduce((sum, size) => sum + Number(size), 0);
}
