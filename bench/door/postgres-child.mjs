/**
 * A separate process for `postgres.bench.ts`. Its arguments: the number of runs, how many run at a
 * time, and the steps of each.
 */
const [, , kind, url, runs = '0', steps = '0', atOnce = '1', from] = process.argv;

const { one, close } = kind === 'errand' ? await errand() : await dbos();
await one();
process.send?.('ready');
await new Promise((resolve) => process.once('message', resolve));
const before = process.cpuUsage();
let left = Number(runs);
const lane = async () => {
  while (left-- > 0) await one();
};
await Promise.all(Array.from({ length: Number(atOnce) }, lane));
const { user, system } = process.cpuUsage(before);
process.send?.((user + system) / (Number(runs) * Number(steps)));
await close();
process.disconnect();
process.exit();

async function errand() {
  const { openErrand, workflow } = await import(from);
  const flow = workflow({
    name: 'chain',
    entryPoint: 's0',
    nodes: Array.from({ length: Number(steps) }, (_, n) => ({
      name: `s${n}`,
      type: 'call',
      function: 'double',
      arguments: { n },
      routes: [{ to: n === Number(steps) - 1 ? '$end' : `s${n + 1}` }],
    })),
  });
  const opened = await openErrand({ store: url, functions: { double: ({ n }) => ({ n: n * 2 }) } });
  return {
    one: async () => {
      const run = await opened.start(flow);
      const { status } = await run.result();
      if (status !== 'completed') throw new Error(`a run ended as ${status}`);
    },
    close: () => opened.close(),
  };
}

async function dbos() {
  const { DBOS } = await import(from);
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url, logLevel: 'error' });
  const flow = DBOS.registerWorkflow(
    async () => {
      let last = { n: 0 };
      for (let n = 0; n < Number(steps); n++)
        last = await DBOS.runStep(async () => ({ n: n * 2 }), { name: `s${n}` });
      return last;
    },
    { name: 'chain' },
  );
  await DBOS.launch();
  return { one: () => flow(), close: () => DBOS.shutdown() };
}
