/** Pipes are made for several scripts at once, and no two scripts share one. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { openScriptBench } from './script-effect.cases.ts';
import { SCRIPTS_AHEAD } from './script-pipes.ts';

const bench = openScriptBench();
const calls = join(bench.folder, 'calls');
const path = process.env['PATH'] ?? '';

afterEach(() => {
  process.env['PATH'] = path;
  expect(bench.leftBehind(), 'pipes left behind').toEqual([]);
});
afterAll(() => bench.dispose());

/** Notes each call and does it. */
function watchMkfifo(): void {
  const real = execFileSync('sh', ['-c', 'command -v mkfifo'], { encoding: 'utf8' }).trim();
  const text = `#!/bin/sh\necho called >> '${calls}'\nexec '${real}' "$@"\n`;
  writeFileSync(join(bench.folder, 'mkfifo'), text, { mode: 0o700 });
  process.env['PATH'] = `${bench.folder}${delimiter}${path}`;
}

it('starts mkfifo once for several scripts', async () => {
  watchMkfifo();
  for (let scripts = 0; scripts < 2 * (SCRIPTS_AHEAD + 1); scripts++)
    expect(await bench.bash('echo out > /dev/stdout; echo err > /dev/stderr')).toMatchObject({
      ok: true,
      output: { stdout: 'out\n', exit_code: 0 },
    });
  const times = existsSync(calls) ? readFileSync(calls, 'utf8').split('\n').length - 1 : 0;
  expect(times).toBe(2);
});

it('gives scripts that start at once pipes of their own', async () => {
  const names = Array.from({ length: 3 * SCRIPTS_AHEAD }, (_, index) => String(index));
  const results = await Promise.all(names.map((name) => bench.bash(`echo ${name} > /dev/stdout`)));
  expect(results.map((result) => 'output' in result && result.output)).toEqual(
    names.map((name) => expect.objectContaining({ stdout: `${name}\n` })),
  );
});

/** Leaves so many descriptors, and runs one script. */
const WITH_FEW_LEFT = `
  import { closeSync, openSync } from 'node:fs';
  import { openScriptBench } from '${new URL('script-effect.cases.ts', import.meta.url).href}';
  const bench = openScriptBench();
  await bench.bash('true', {}, { signal: AbortSignal.abort() });
  const held = [];
  try { for (;;) held.push(openSync('/dev/null')); } catch {}
  for (let left = 0; left < Number(process.argv[1]); left++) closeSync(held.pop());
  const result = await bench.bash('echo out');
  for (const each of held) closeSync(each);
  bench.dispose();
  console.log(JSON.stringify(result));
`;

it.runIf(process.platform === 'linux').each([14, 24, 33, 40])(
  'keeps none of the last %i descriptors for later scripts',
  (left) => {
    const node = `"${process.execPath}" --input-type=module -e "$0" ${left}`;
    const printed = execFileSync('bash', ['-c', `ulimit -n 200; ${node}`, WITH_FEW_LEFT], {
      encoding: 'utf8',
    });
    expect(JSON.parse(printed)).toMatchObject({ ok: true, output: { stdout: 'out\n' } });
  },
);
