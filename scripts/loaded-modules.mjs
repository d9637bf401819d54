/**
 * Finds the modules that users' typical programs load, by running them on the compiler's output.
 * The bundle groups modules that are loaded together, and the next import would make a list by hand
 * wrong.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const RECORDER = new URL('record-modules.mjs', import.meta.url).href;

const SMALL = `workflow: {name: small, entry_point: label, runtime: {simulate: {clerk: [{answer: {ok: true}}]}}}
nodes:
  - {name: label, type: agent, model: sim/clerk, prompt: Hello, tools: [], output: {ok: {type: boolean}}}
`;

/** A durable run that ends, and one that continues after a stop. */
const APPLICATION = `
import { openErrand, workflow } from 'errand-under-test';
const asks = workflow({ name: 'asks', entryPoint: 'ask', nodes: [
  { name: 'ask', type: 'human_gate', prompt: 'Go?', options: [{ label: 'Yes', value: 'yes' }] },
] });
const errand = await openErrand({ store: 'sqlite:errand.db' });
const run = await errand.start(asks);
await run.result();
await errand.resume(run.id).then((again) => again.result()).catch(() => undefined);
await errand.close();
`;

/**
 * @param {(name: string) => string} compiled gives the file of a module
 * @returns {ReadonlyMap<string, ReadonlySet<string>>} files by the program that loads them
 */
export function loadedModules(compiled) {
  const folder = mkdtempSync(join(tmpdir(), 'errand-modules-'));
  try {
    writeFileSync(join(folder, 'small.yaml'), SMALL);
    const index = pathToFileURL(compiled('index')).href;
    writeFileSync(join(folder, 'import.mjs'), `import '${index}';`);
    writeFileSync(join(folder, 'open.mjs'), APPLICATION.replace('errand-under-test', index));
    const command = compiled('cli/main');
    const programs = {
      import: ['import.mjs'],
      open: ['open.mjs'],
      help: [command, '--help'],
      validate: [command, 'validate', 'small.yaml'],
      explain: [command, 'explain', 'provider.rate_limited'],
      run: [command, 'run', 'small.yaml', '--quiet'],
      runs: [command, 'runs'],
    };
    return new Map(Object.entries(programs).map(([name, args]) => [name, loadedBy(args, folder)]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {readonly string[]} args of Node
 * @param {string} folder in which it runs
 * @returns {ReadonlySet<string>}
 */
function loadedBy(args, folder) {
  const record = join(folder, 'record.json');
  const { status, stderr } = spawnSync(process.execPath, ['--import', RECORDER, ...args], {
    cwd: folder,
    // settings of the building machine must not change the build
    env: { PATH: process.env['PATH'], HOME: folder, RECORD_MODULES: record },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}\n${stderr}`);
  /** @type {readonly string[]} */
  const urls = JSON.parse(readFileSync(record, 'utf8'));
  return new Set(urls.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url)));
}
