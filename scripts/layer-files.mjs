/** The table of layers in the forms that the compiler and the linter read. */
import { LAYERS, READS_THE_WORLD, TOP_LEVEL } from './layers.mjs';

const TESTS = ['**/*.test.ts', '**/*.test-d.ts', '**/*.cases.ts'];
const LINT = '.oxlintrc.json';
const NO_CLOCK = 'Pass it in: the pure layers have no timers and no clock.';
const NO_WORLD = 'Pass it in: the pure layers know no environment.';

/**
 * The projects of the files beside the folders, relative to `src`.
 * @type {Readonly<Record<string, string>>}
 */
const PROJECTS = { root: '.', entry: 'tsconfig.index.json' };

/**
 * @param {(path: string) => string} read a file of the checkout
 * @returns {Map<string, string>} each file by its path
 */
export function filesOfLayers(read) {
  const files = new Map();
  for (const [name, layer] of Object.entries(LAYERS))
    files.set(`src/${name}/tsconfig.json`, toJson(projectOf(layer)));
  files.set('src/tsconfig.json', toJson(topProject(TOP_LEVEL.root, { lib: ['ES2024', 'DOM'] })));
  files.set('src/tsconfig.index.json', toJson(topProject(TOP_LEVEL.entry, { types: ['node'] })));
  const projects = [...Object.keys(LAYERS), ...Object.values(PROJECTS)].map((name) =>
    name === '.' ? './src' : `./src/${name}`,
  );
  const references = [...projects, './dashboard', './tsconfig.test.json', './test/browser'].map(
    (path) => ({ path }),
  );
  files.set('tsconfig.json', toJson({ files: [], references }));
  files.set(LINT, toJson(lintWith(JSON.parse(read(LINT)))));
  return files;
}

/** @param {import('./layers.mjs').Layer} layer */
function projectOf({ imports, isPure = false }) {
  return {
    extends: '../../tsconfig.base.json',
    ...(isPure ? {} : { compilerOptions: { types: ['node'] } }),
    include: ['**/*.ts'],
    exclude: TESTS,
    references: imports.map((name) => ({ path: join('..', name) })),
  };
}

/**
 * @param {import('./layers.mjs').Layer & {files: readonly string[]}} layer
 * @param {object} compilerOptions
 */
function topProject({ files, imports }, compilerOptions) {
  return {
    extends: '../tsconfig.base.json',
    files,
    references: imports.map((name) => ({ path: join('.', name) })),
    compilerOptions,
  };
}

/** @param {string} base @param {string} name */
function join(base, name) {
  const project = Object.hasOwn(PROJECTS, name) ? PROJECTS[name] : name;
  return project === '.' ? base : `${base}/${project}`;
}

/**
 * The linter's settings with the rules of the layers first; the other overrides stay unchanged.
 * @param {{overrides: readonly {rules: Record<string, unknown>}[]}} settings
 */
function lintWith(settings) {
  const others = settings.overrides.filter(
    ({ rules }) =>
      !isMade(rules['no-restricted-imports']) && !isMade(rules['no-restricted-globals']),
  );
  const directions = Object.entries(LAYERS).map(([name, layer]) => directionOf(name, layer));
  return { ...settings, overrides: [...directions, purity(), ...others] };
}

/** The others only switch a rule off. @param {unknown} rule */
function isMade(rule) {
  return Array.isArray(rule);
}

/** @param {string} name @param {import('./layers.mjs').Layer} layer */
function directionOf(name, { imports, doors = {}, isPure = false }) {
  const refused = Object.keys(LAYERS).filter((other) => other !== name && !imports.includes(other));
  const allowed = imports.filter((other) => Object.hasOwn(LAYERS, other));
  const only = allowed.length === 0 ? 'itself' : `itself and ${allowed.join(', ')}`;
  const patterns = [
    ...(refused.length === 0
      ? []
      : [
          {
            regex: `^(\\.\\./)+(${refused.join('|')})(/|$)`,
            message: `src/${name} may import only ${only}.`,
          },
        ]),
    ...Object.entries(doors).map(([other, files]) => ({
      group: [`**/${other}/**`, ...files.map((file) => `!**/${other}/${file}`)],
      message: `src/${name} may import of src/${other} only ${files.join(', ')}.`,
    })),
    ...(imports.includes('entry')
      ? []
      : [
          {
            regex: String.raw`^(\.\./)+(index|browser)\.(ts|js)$`,
            message: "Import the file that has it, not the package's entry.",
          },
        ]),
    ...(isPure
      ? [{ regex: '^node:', message: 'The pure layers run where there is no Node.' }]
      : []),
  ];
  return {
    files: [`src/${name}/**/*.ts`],
    rules: { 'no-restricted-imports': ['error', { patterns }] },
  };
}

function purity() {
  const pure = Object.entries(LAYERS).filter(([, { isPure }]) => isPure === true);
  const globals = [
    ...['process', 'Buffer', 'require', 'fetch', 'console'].map((name) => [name, NO_WORLD]),
    ['crypto', 'Pass ids in: the pure layers have no random source.'],
    ...['performance', 'setTimeout', 'setInterval', 'setImmediate'].map((name) => [name, NO_CLOCK]),
  ].map(([name, message]) => ({ name, message }));
  return {
    files: pure.map(([name]) => `src/${name}/**/*.ts`),
    excludeFiles: READS_THE_WORLD,
    rules: {
      'no-restricted-globals': ['error', { checkGlobalObject: true, globals }],
      'no-restricted-properties': [
        'error',
        {
          object: 'Date',
          property: 'now',
          message: 'Pass the time in: the pure layers have no clock.',
        },
        {
          object: 'Math',
          property: 'random',
          message: 'Derive it: the pure layers have no random source.',
        },
      ],
    },
  };
}

/** @param {unknown} value */
function toJson(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}
