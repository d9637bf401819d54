/**
 * A separate process for `resting.bench.ts`, on the built package: starts runs that stop at a gate,
 * and prints the peak of its memory.
 */
const [, , home = '', runs = '0'] = process.argv;
const { openErrand } = await import('../dist/index.js');
const { workflow } = await import('../dist/workflow/authoring/define.js');

const errand = await openErrand({ store: `sqlite:${home}/errand.db` });
const gated = workflow({
  name: 'gated',
  entryPoint: 'ask',
  nodes: [
    {
      name: 'ask',
      type: 'human_gate',
      prompt: 'Go?',
      options: [{ label: 'Yes', value: 'yes' }],
    },
  ],
});
/** An application may keep them, to answer later. */
const handles = [];
for (let started = 0; started < Number(runs); started += 100)
  await Promise.all(
    Array.from({ length: 100 }, async () => {
      const handle = await errand.start(gated);
      const { status } = await handle.result();
      if (status !== 'paused') throw new Error(`a run is ${status}`);
      handles.push(handle);
    }),
  );
// in kilobytes
process.stdout.write(String((process.resourceUsage().maxRSS * 1024) / 1_000_000));
await errand.close();
