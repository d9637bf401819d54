/** Three servers on one store: one is killed, one stalls past its lease, one has a clock five minutes ahead. */
import { expect, it } from 'vitest';
import { IS_SOAK, runs } from '../runs.ts';
import { simulateFleet, type FleetHistory } from './fleet.ts';

const SEEDS = Number(process.env['RUNS'] ?? runs(IS_SOAK ? 2000 : 20));
const FROM = Number(process.env['FROM'] ?? 0);

/** What must not be: something lost, something twice, an end that is none. */
function breaches({ executions, logs, statuses }: FleetHistory, orders: number): string[] {
  const found: string[] = [];
  for (let number = 1; number <= orders; number++) {
    const run = `order-${number}`;
    if (statuses.get(run) !== 'completed') found.push(`${run} is ${statuses.get(run) ?? 'lost'}`);
  }
  for (const [run, events] of logs) {
    const ends = events.filter(({ type }) => type === 'run:completed').length;
    if (ends !== 1) found.push(`${run} ended ${ends} times`);
    if (events.some(({ seq }, index) => seq !== index + 1)) found.push(`${run} has a gap`);
    const once = run.startsWith('order') ? ['pay', 'tell'] : ['write'];
    for (const node of once) {
      const times = executions.filter((each) => each.run === run && each.node === node).length;
      if (times !== 1) found.push(`${node} of ${run} was executed ${times} times`);
    }
    const shipped = executions.filter((each) => each.run === run && each.node === 'ship');
    if (new Set(shipped.map(({ key }) => key)).size > 1) found.push(`${run} has two keys`);
  }
  return found;
}

it(`loses nothing and does nothing twice, in ${SEEDS} worlds`, { timeout: 600_000 }, async () => {
  const met = { kill: 0, stop: 0, stall: 0 };
  const machines = new Set<string>();
  let takenOver = 0;
  for (let seed = FROM; seed < FROM + SEEDS; seed++) {
    const orders = 12;
    const history = await simulateFleet({ seed, orders, troubleMs: 30 * 60_000 });
    expect(breaches(history, orders), `seed ${seed}: ${history.incidents.join(', ')}`).toEqual([]);
    for (const incident of history.incidents)
      for (const what of ['kill', 'stop', 'stall'] as const)
        if (incident.startsWith(what)) met[what]++;
    for (const machine of history.machines) machines.add(machine);
    for (const events of history.logs.values())
      takenOver += events.filter((e) => e.type === 'run:resumed' && e.by === 'adoption').length;
    const ticks = [...history.logs.keys()].filter((run) => run.startsWith('schedule'));
    expect(ticks.map((run) => run.slice(-7)).toSorted(), `seed ${seed}`).toEqual([
      '061000Z',
      '062000Z',
    ]);
  }
  expect(met.kill).toBeGreaterThan(0);
  expect(met.stop).toBeGreaterThan(0);
  expect(met.stall).toBeGreaterThan(0);
  expect([...machines].toSorted()).toEqual(['a', 'b', 'c']);
  expect(takenOver).toBeGreaterThan(0);
});
