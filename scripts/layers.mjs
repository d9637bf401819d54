/**
 * The layers of `src`, and the imports that each may make besides its own files: the only table.
 * `npm run layers` makes the project references and the lint rules from it; `test/import-rules.ts`
 * reads it.
 */

/**
 * @typedef {object} Layer
 * @property {readonly string[]} imports
 * @property {Readonly<Record<string, readonly string[]>>} [doors] the files of a layer that it may import;
 *   default: all
 * @property {boolean} [isPure] runs without Node, a clock, randomness or the network
 */

const PURE = ['errors', 'providers', 'workflow', 'machine', 'history'];
const DECIDING = PURE.filter((layer) => layer !== 'history');
const ENGINE = [...PURE, 'effects', 'stores', 'engine'];

/**
 * Layers above the engine see its facade, the facade's types, and the code that reads files. The
 * execution of a run is below: a second wiring of backends, effects and extensions is refused.
 */
const FACADE = [
  'errand.ts',
  'errand-options.ts',
  'backend.ts',
  'carry-on.ts',
  'shown-run.ts',
  'version.ts',
  'run-id.ts',
  'run-fold.ts',
  'build-run-page.ts',
  'run-drift.ts',
  'run-file.ts',
  'open-backend.ts',
  'run/exported-events.ts',
  'run/plan-text.ts',
  'run/running-effects.ts',
  'loading/check-file.ts',
  'loading/node-files.ts',
  'temporal/config.ts',
  'temporal/temporal-worker.ts',
];

/**
 * The few files below the engine that the command line needs: the list of secret variables, the
 * providers that `errand doctor` asks, private files, and the store that reads without a claim.
 */
const BELOW_THE_FACADE = {
  effects: ['model/key-values.ts', 'model/openai-compatible-hosts.ts'],
  stores: [
    'memory.ts',
    'sqlite/sqlite.ts',
    'sqlite/load-sqlite.ts',
    'sqlite/private-files.ts',
    'sqlite/wal-check.ts',
  ],
};

/** @type {Readonly<Record<string, Layer>>} */
export const LAYERS = {
  errors: { imports: [], isPure: true },
  providers: { imports: ['errors'], isPure: true },
  workflow: { imports: ['errors', 'providers'], isPure: true },
  machine: { imports: ['errors', 'providers', 'workflow'], isPure: true },
  // views over the log: above the machine, so that no decision can depend on one
  history: { imports: DECIDING, isPure: true },
  effects: { imports: DECIDING },
  stores: { imports: DECIDING },
  'simulator-server': { imports: [...DECIDING, 'effects'] },
  engine: { imports: [...PURE, 'effects', 'stores'] },
  // for applications that stay with the AI SDK: decisions and classifier, without the engine
  'ai-sdk': {
    imports: [...DECIDING, 'root'],
    doors: {
      machine: [
        'policy/breaker.ts',
        'policy/cooldown.ts',
        'policy/model-chain.ts',
        'policy/model-timeouts.ts',
        // how text is read as JSON, as the engine does it for an agent
        'conversation/model-reply.ts',
      ],
    },
  },
  rehearsal: { imports: ENGINE },
  // spans, metrics and log lines of runs, from their events
  telemetry: { imports: ENGINE },
  // a face of the runs that a server provides: it sees them through a port of its own
  'mcp-server': { imports: ENGINE, doors: { engine: FACADE } },
  server: { imports: [...ENGINE, 'telemetry', 'mcp-server', 'root'], doors: { engine: FACADE } },
  cli: {
    imports: [
      ...ENGINE,
      'mcp-server',
      'server',
      'rehearsal',
      'telemetry',
      'simulator-server',
      'root',
      'entry',
    ],
    doors: { engine: FACADE, ...BELOW_THE_FACADE },
  },
};

/**
 * The files beside the folders: the package without the engine (`root`), and with it (`entry`).
 * @type {Readonly<Record<'root' | 'entry', Layer & {files: readonly string[]}>>}
 */
export const TOP_LEVEL = {
  root: {
    files: [
      'browser.ts',
      'classify.ts',
      'judging.ts',
      'machine-clock.ts',
      'option-checks.ts',
      'public-api.ts',
      'resilience.ts',
      'resilience-end.ts',
      'resilience-options.ts',
      'resilience-seen.ts',
      'read-response.ts',
    ],
    imports: DECIDING,
    isPure: true,
  },
  entry: {
    files: [
      'index.ts',
      'whole.ts',
      'open-errand.ts',
      'temporal.ts',
      'lazy-judging.ts',
      'lazy-workflow.ts',
    ],
    imports: ['root', 'errors', 'providers', 'workflow', 'machine', 'engine', 'telemetry'],
  },
};

/** Only these stamp failures raised outside a run, and wait around a call outside a run. */
export const READS_THE_WORLD = ['src/errors/thrown/stamp.ts', 'src/machine-clock.ts'];
