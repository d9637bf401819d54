/**
 * Makes `dist` from the compiler's output: a few files of JavaScript instead of hundreds, because a
 * program that imports Errand pays for every opened file, and the types unchanged. Two arguments
 * name other folders: tests bundle the sources themselves, whose types nobody reads.
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { writeCommandParts } from './command-parts.mjs';
import { loadedModules } from './loaded-modules.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const [COMPILED = join(ROOT, 'build'), DIST = join(ROOT, 'dist')] = process.argv.slice(2);

/** Entries that package.json exports, and files that are started or looked up by their path. */
const ENTRIES = [
  'index',
  'whole',
  'judging',
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
  'effects/sandbox/worker-entry',
];

/** Entries that modules of workflows may import from the command that runs them. */
const FOR_MODULES = [
  'index',
  'ai-sdk/index',
  'classify',
  'errors/index',
  'judging',
  'rehearsal/index',
  'server/index',
  'stores/index',
  'temporal',
  'workflow/authoring/define',
];

/** Files that find others by their own location, and so have to stay there. */
const PLACED = [
  'lazy-judging',
  'lazy-workflow',
  'engine/temporal/workflow-bundle',
  'engine/version',
  'server/page/page-folder',
  'effects/module/errand-hook',
  'effects/sandbox/quickjs',
  'effects/sandbox/sandbox-worker',
];

/**
 * Entries that are loaded alone: modules outside their reach stay out of the files that they load.
 */
const ALONE = { errors: 'errors/index', browser: 'browser', sdk: 'ai-sdk/index' };

/** Modules that this many of the programs load go into the common file. */
const COMMON = 5;

/** The file that the library of errors shares with an import of the core and with a browser. */
const WITH_ERRORS = 'import-errors-browser';

/** The loaded modules, by program. */
const LOADED = loadedModules(compiled);

/** @type {Map<string, ReadonlySet<string>>} */
const REACHED = new Map();

/**
 * Takes Node's own modules without an import: an import asks a module for all of its exports, which
 * loads parts that it would only load on demand, such as the streams of `node:fs`.
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
 * The packages in here require only Node's own modules. A user's bundle of them may have no address, or
 * run in a browser, where nothing may ask for Node before it is needed.
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
 * The command's parser can start other programs. Errand never needs that, and preparing for it takes
 * longer than printing the help.
 * @type {import('rolldown').Plugin}
 */
const noProgramsOfCommander = {
  name: 'no-programs-of-commander',
  transform: {
    filter: { id: /commander/ },
    handler: (code) => code.replace(/^import childProcess from .*$/m, 'const childProcess = {};'),
  },
};

/**
 * Node's build of this package reads `process.env` for every lexeme of a file, which is a third of the
 * time that reading takes. The other build of it is the same without that.
 */
const YAML = join(
  dirname(fileURLToPath(import.meta.resolve('yaml/package.json'))),
  'browser/index.js',
);

const bundler = await rolldown({
  input: Object.fromEntries([...ENTRIES, ...PLACED].map((name) => [name, compiled(name)])),
  // the sandbox finds its engine, which is no JavaScript, by its package
  external: [/^node:/, /quickjs/],
  platform: 'node',
  resolve: { alias: { yaml: YAML } },
  // a module that is assigned to a file by name does not pull its imports into that file
  preserveEntrySignatures: 'allow-extension',
  plugins: [builtinsAsTheyAre, noProgramsOfCommander],
  logLevel: 'warn',
});
await bundler.write({
  dir: DIST,
  format: 'esm',
  // Node reads every character before the first line runs; the types keep their comments
  comments: { legal: true, annotation: true, jsdoc: false },
  entryFileNames: '[name].js',
  chunkFileNames: ({ moduleIds }) => {
    const placed = PLACED.find((name) => moduleIds.includes(compiled(name)));
    return placed === undefined ? 'chunks/[name].mjs' : join(dirname(placed), '[name].part.js');
  },
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ debugName: 'together', name: (id, graph) => togetherIn(id, graph) }],
  },
});
await bundler.close();

// Temporal's own bundler reads it from here, in a sandbox that must not contain anything of Node
const workflow = await rolldown({
  input: { 'engine/temporal/run-workflow': compiled('engine/temporal/run-workflow') },
  external: ['@temporalio/workflow'],
  platform: 'browser',
  logLevel: 'warn',
});
await workflow.write({ dir: DIST, format: 'esm', entryFileNames: '[name].js' });
await workflow.close();

leaveOutDoors();
for (const file of filesIn(DIST)) writeAsAscii(join(DIST, file));
writeCommandParts(DIST, ['cli/main', ...FOR_MODULES]);

for (const file of filesIn(COMPILED))
  if (file.endsWith('.d.ts')) cpSync(join(COMPILED, file), join(DIST, file));

/**
 * The bundler makes a file of mere re-exports for each module that is loaded on demand and shares a
 * file with others. That would be one more file to open, so importers take the module from the file
 * that contains it.
 */
function leaveOutDoors() {
  const folder = join(DIST, 'chunks');
  /** @type {Map<string, string>} */
  const direct = new Map();
  for (const file of readdirSync(folder)) {
    const [, names, from] =
      /^export \{ ([^}]+) \} from "\.\/([^"]+)";\n?$/.exec(
        readFileSync(join(folder, file), 'utf8'),
      ) ?? [];
    if (names === undefined || from === undefined) continue;
    const taken = names.split(', ').map((each) => {
      const [inside, outside = inside] = each.split(' as ');
      return `${outside}: loaded.${inside}`;
    });
    direct.set(file, `${from}").then((loaded) => ({ ${taken.join(', ')} }))`);
    rmSync(join(folder, file));
  }
  for (const file of filesIn(DIST)) {
    const path = join(DIST, file);
    const text = readFileSync(path, 'utf8');
    const replaced = text.replaceAll(
      /(?<=\bimport\("(?:\.{1,2}\/)+(?:chunks\/)?)[\w-]+\.mjs"\)/g,
      (written) => direct.get(written.slice(0, -2)) ?? written,
    );
    if (replaced !== text) writeFileSync(path, replaced);
  }
}

/** @param {string} folder */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.[a-z]+$/.test(file),
  );
}

/**
 * One character outside ASCII makes Node keep its whole file at two bytes a character, after it has
 * looked at each of them.
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
 * Modules that the same programs load go into one file, because a file costs half a millisecond before
 * a line of it is read. Programs that load a module also load its imports, so no program loads a file
 * for a part of it.
 * @param {string} id of a module
 * @param {import('rolldown').ChunkingContext} graph
 * @returns {string | null} the file that it goes into, or null to leave it to the bundler
 */
function togetherIn(id, graph) {
  // the command awaits the modules that it loads; in one file with a part of them, it would wait
  // for itself
  if (graph.getModuleInfo(id)?.isEntry) return null;
  const programs = [...LOADED].flatMap(([name, files]) => (files.has(id) ? [name] : []));
  const alone = Object.entries(ALONE).flatMap(([name, entry]) =>
    reachedFrom(entry, graph).has(id) ? [name] : [],
  );
  // what only the library of errors adds to an import is far less than another file costs
  if (alone.includes('errors') && !programs.includes('import')) return WITH_ERRORS;
  if (programs.length === 0) return null;
  // the code that nearly all programs load is small, and an application of the AI SDK may load all
  // of it
  const isCommon = programs.includes('import') || programs.length >= COMMON;
  // every other program but the help loads nearly all modules that an import loads
  const named = programs.includes('import')
    ? programs.filter((name) => name === 'import' || name === 'help')
    : programs;
  return [...named, ...alone.filter((name) => !isCommon || name !== 'sdk')].join('-');
}

/**
 * All modules that are imported from there, at once and not on demand.
 * @param {string} entry
 * @param {import('rolldown').ChunkingContext} graph
 * @returns {ReadonlySet<string>}
 */
function reachedFrom(entry, graph) {
  const known = REACHED.get(entry);
  if (known !== undefined) return known;
  const reached = new Set([compiled(entry)]);
  // the loop also visits ids that are added during it
  for (const id of reached)
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) reached.add(imported);
  REACHED.set(entry, reached);
  return reached;
}

/** @param {string} name */
function compiled(name) {
  const source = join(COMPILED, `${name}.ts`);
  return existsSync(source) ? source : join(COMPILED, `${name}.js`);
}
