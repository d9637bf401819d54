/** A separate process for `runs.bench.ts`, on the built package. */
const [, , home = '', task, what = '', compiled] = process.argv;
// as the command does, before it loads anything of ours
if (compiled) process.getBuiltinModule('node:module').enableCompileCache(compiled);

const { openErrand } = await import('../dist/index.js');
const store = `sqlite:${home}/errand.db`;

/** Loaded only if needed: a resumed run finds its plan in the store. */
const define = async (definition) =>
  (await import('../dist/workflow/authoring/define.js')).workflow(definition);

const long = () =>
  define({
    name: 'long',
    entryPoint: 'a',
    limits: { maxIterations: 10_000 },
    state: { n: { type: 'number', default: 0 } },
    nodes: [
      {
        name: 'a',
        type: 'set',
        values: { n: 1 },
        state: { n: '{{ state.n + 1 }}' },
        routes: [{ to: 'gate', when: '{{ state.n >= 1000 }}' }, { to: 'a' }],
      },
      {
        name: 'gate',
        type: 'human_gate',
        prompt: 'Go?',
        options: [{ label: 'Yes', value: 'yes' }],
      },
    ],
  });

const pause = () =>
  define({
    name: 'pause',
    entryPoint: 'wait',
    nodes: [{ name: 'wait', type: 'wait', duration: '1h' }],
  });

if (task === 'prepare') {
  const errand = await openErrand({ store });
  const handle = await errand.start(await long());
  await handle.result();
  await errand.close();
  process.stdout.write(handle.id);
} else if (task === 'resume') {
  const errand = await openErrand({ store });
  const handle = await errand.resume(what);
  for await (const _event of handle.events()) break;
  // `performance` would have to be loaded first, which should not count
  process.stdout.write(String(process.uptime() * 1000));
  await errand.close();
} else {
  const errand = await openErrand({ store: 'memory' });
  const waiting = await pause();
  globalThis.gc?.();
  const before = liveBytes();
  for (let index = 0; index < Number(what); index++) await errand.start(waiting, { wait: true });
  globalThis.gc?.();
  process.stdout.write(String((liveBytes() - before) / 1_000_000));
  process.exit(0);
}

/** The memory in use; the system's reserve for the next garbage does not belong to the runs. */
function liveBytes() {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
