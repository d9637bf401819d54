/**
 * Estimates the throughput of n machines with one PostgreSQL server, from measurements on one
 * machine.
 */
import { median } from '../../bench/measure.ts';
import { figure, grouped } from '../../bench/lines.ts';
import type { BenchResult } from '../../bench/result.ts';

const CPU_ROW = 'PostgreSQL: processor time of a step in its process';
const RATE_CURVE = 'PostgreSQL: steps a second';
const MACHINES = [1, 2, 4, 8, 16, 32];
const CORES = 4;
/**
 * Commits per second of one server whose disk syncs in a tenth of a millisecond, when many sessions
 * share a sync.
 */
const SERVER_COMMITS = 20_000;

export function clusterModel({ rows, curves }: BenchResult): readonly string[] {
  const cpu = rows.find(({ name }) => name === CPU_ROW);
  const rate = curves.find(({ name }) => name === RATE_CURVE);
  if (cpu === undefined || rate === undefined)
    return ['Nothing was measured that it could be worked out from.'];
  const stepUs = median(cpu.ours);
  const perMachine = (CORES * 1_000_000) / stepUs;
  const most = Math.max(...rate.points.map(({ rounds }) => median(rounds)));
  const limitAt = Math.ceil(SERVER_COMMITS / perMachine);
  const line = (machines: number): string => {
    const asked = machines * perMachine;
    const done = Math.min(asked, SERVER_COMMITS);
    const first = asked > SERVER_COMMITS ? 'the database' : 'the processes';
    return `| ${machines} | ${grouped(Math.round(done))} | ${first} |`;
  };
  return [
    `A step is one commit, and costs the process that makes it ${figure(stepUs, 'µs')} of a processor; processes share nothing but the`,
    `database. So n machines of ${CORES} cores ask for at most n × ${CORES} × ${grouped(Math.round(1_000_000 / stepUs))} steps a second, and get what the one server commits.`,
    `Measured here, processes and server together on the same cores: ${grouped(Math.round(most))} steps a second at best.`,
    '',
    `Assumed, not measured: a server of its own that commits ${grouped(SERVER_COMMITS)} small transactions a second, and no time on the network, which`,
    'lengthens a run and lowers no rate as long as enough runs are under way.',
    '',
    '| machines | steps a second | gives out first |',
    '|---|---|---|',
    ...MACHINES.map(line),
    '',
    `**The database gives out first**, at about ${limitAt} machines: its commits, before its size, since rows are only added and read by their key.`,
    'Then runs have to be divided over several databases, which needs nothing of Errand, because no run knows of another; lists and',
    'schedules are then one for each database. A server more helps only before that.',
  ];
}
