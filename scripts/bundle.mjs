/**
 * Makes `dist` from what the compiler wrote: few files of JavaScript instead of hundreds, because a
 * program that imports Errand pays for every file that is opened, and the types as they are. Two
 * arguments name other folders: tests bundle the sources themselves, whose types nobody reads.
 */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const [COMPILED = join(ROOT, 'build'), DIST = join(ROOT, 'dist')] = process.argv.slice(2);

/** Entries that package.json exports, and files that are started or looked up on their own. */
const ENTRIES = [
  'index',
  'browser',
  'classify',
  'ai-sdk/index',
  'errors/index',
  'workflow/authoring/define',
  'stores/index',
  'temporal',
  'server/index',
  'rehearsal/index',
  'cli/main',
  'effects/module/load-module',
  'effects/sandbox/worker',
];

/** Files that find others from where they are, and so have to stay there. */
const PLACED = [
  'engine/temporal/worker',
  'engine/version',
  'server/page/page-folder',
  'effects/module/errand-hook',
  'effects/sandbox/quickjs',
  'effects/sandbox/sandbox-worker',
];

/** Modules that are loaded together are one file: the errors, the part for every platform, the engine. */
const ROOTS = {
  errors: ['errors/index'],
  shared: ['public-api', 'classify'],
  engine: ['engine/errand', 'engine/loading/extensions', 'stores/sqlite/sqlite'],
  browser: ['browser'],
  'ai-sdk': ['ai-sdk/index'],
  // what --help needs, and what a file is checked with, need not bring the rest along
  command: ['cli/main'],
  check: ['engine/loading/check-file', 'cli/commands/validate'],
};

/** @type {Map<string, ReadonlySet<string>>} */
const REACHED = new Map();

/**
 * Node's own modules, taken as they are: an import asks a module for everything that it has, which
 * loads what it would only have loaded on demand, such as the streams of `node:fs`.
 * @type {import('rolldown').Plugin}
 */
const builtinsAsTheyAre = {
  name: 'builtins-as-they-are',
  renderChunk: (code) => ({
    code: withoutRequire(code).replaceAll(
      /^import ([\w$]+|\{ [^}]+ \}) from "(node:[^"]+)";$/gm,
      (_, names, builtin) =>
        `const ${names.replaceAll(' as ', ': ')} = globalThis.process.getBuiltinModule("${builtin}");`,
    ),
    map: null,
  }),
};

/**
 * The packages in here require nothing but Node's own modules; and somebody's bundle of them may have no
 * address, or run in a browser, where nothing of Node may be asked for before it is needed.
 * @param {string} code
 */
function withoutRequire(code) {
  const shared = code.replace(
    '(() => createRequire(import.meta.url))()',
    '((id) => globalThis.process.getBuiltinModule(id))',
  );
  const isUsed = /\bcreateRequire\(/.test(shared);
  return isUsed ? shared : shared.replace(/^import \{ createRequire \} from "node:module";\n/m, '');
}

/**
 * The command's parser can start other programs, which Errand never asks of it, and to be ready for
 * that takes longer than to print the help.
 * @type {import('rolldown').Plugin}
 */
const noProgramsOfCommander = {
  name: 'no-programs-of-commander',
  transform: {
    filter: { id: /commander/ },
    handler: (code) => code.replace(/^import childProcess from .*$/m, 'const childProcess = {};'),
  },
};

const bundler = await rolldown({
  input: Object.fromEntries([...ENTRIES, ...PLACED].map((name) => [name, compiled(name)])),
  // the sandbox finds its engine, which is no JavaScript, by its package
  external: [/^node:/, /quickjs/],
  platform: 'node',
  // what a file is chosen for by name does not bring along what it imports
  preserveEntrySignatures: 'allow-extension',
  plugins: [builtinsAsTheyAre, noProgramsOfCommander],
  logLevel: 'warn',
});
await bundler.write({
  dir: DIST,
  format: 'esm',
  // every character is read before the first line runs; the types keep their comments
  comments: { legal: true, annotation: true, jsdoc: false },
  entryFileNames: '[name].js',
  chunkFileNames: ({ moduleIds }) => {
    const placed = PLACED.find((name) => moduleIds.includes(compiled(name)));
    return placed === undefined ? 'chunks/[name].mjs' : `${dirname(placed)}/[name].part.js`;
  },
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ debugName: 'together', name: (id, graph) => togetherIn(id, graph) }],
  },
});
await bundler.close();

// Temporal's own bundler takes it from here, in a sandbox where nothing of Node may be near
const workflow = await rolldown({
  input: { 'engine/temporal/workflow': compiled('engine/temporal/workflow') },
  external: ['@temporalio/workflow'],
  platform: 'browser',
  logLevel: 'warn',
});
await workflow.write({ dir: DIST, format: 'esm', entryFileNames: '[name].js' });
await workflow.close();

for (const file of filesIn(DIST)) writeAsAscii(join(DIST, file));

for (const file of filesIn(COMPILED))
  if (file.endsWith('.d.ts')) cpSync(join(COMPILED, file), join(DIST, file));

/** @param {string} folder */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.[a-z]+$/.test(file),
  );
}

/**
 * One character that is not ASCII makes Node keep its whole file in two bytes a character, after
 * having looked at each of them.
 * @param {string} path of JavaScript
 */
function writeAsAscii(path) {
  const escaped = readFileSync(path, 'utf8').replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  writeFileSync(path, escaped);
}

/**
 * @param {string} id of a module
 * @param {import('rolldown').ChunkingContext} graph
 * @returns {string | null} the file that it goes into, unless it is left to the bundler
 */
function togetherIn(id, graph) {
  const isIn = (/** @type {keyof typeof ROOTS} */ part) => reachedFrom(part, graph).has(id);
  if (isIn('errors')) return isIn('command') ? 'command' : 'errors';
  if (isIn('shared')) return isIn('check') ? 'known' : 'shared';
  if (!isIn('engine')) return null;
  // a chain of models decides by the same parts outside the engine, where nothing of Node may be near
  if (isIn('ai-sdk')) return 'chain';
  // a browser takes what it needs of the engine, and none of its Node
  if (isIn('browser')) return 'pure';
  return isIn('check') ? 'check' : 'engine';
}

/**
 * All that is imported from there, at once and not on demand.
 * @param {keyof typeof ROOTS} part
 * @param {import('rolldown').ChunkingContext} graph
 * @returns {ReadonlySet<string>}
 */
function reachedFrom(part, graph) {
  const known = REACHED.get(part);
  if (known !== undefined) return known;
  const reached = new Set(ROOTS[part].map(compiled));
  // a set gives out what is added to it meanwhile
  for (const id of reached)
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) reached.add(imported);
  REACHED.set(part, reached);
  return reached;
}

/** @param {string} name */
function compiled(name) {
  const source = join(COMPILED, `${name}.ts`);
  return existsSync(source) ? source : join(COMPILED, `${name}.js`);
}
