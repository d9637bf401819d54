import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Begin first and in this order: suites of a quarter of a minute and more, the longest first. One that begins late would
 * still run, alone, when all the rest is done. Measured: some work, and some wait.
 */
const LONG = [
  'test/temporal/kill.test.ts',
  'test/engine/conformance.test.ts',
  'test/packaging.test.ts',
  'test/survival/kill.test.ts',
  'test/browser/accessibility.test.ts',
  'test/browser/run-page.test.ts',
  'test/temporal/boundary.test.ts',
  'test/server/hostile.test.ts',
  'test/mcp/stdio.test.ts',
  'test/docs/docs.test.ts',
  'test/mcp/http.test.ts',
  'test/release.test.ts',
  'test/telemetry/receivers.test.ts',
  'test/server/access.test.ts',
  'test/survival/servers.test.ts',
  'test/simulation/worst-case.test.ts',
  'test/temporal/killed-telemetry.test.ts',
  'test/oldest-node.test.ts',
  'test/module.test.ts',
  'test/mcp/rubbish.test.ts',
  'test/temporal/guide.test.ts',
  'test/server/openapi.test.ts',
  'test/mcp/runs.test.ts',
  'test/browser/long-runs.test.ts',
  'test/browser/runs.test.ts',
  'test/temporal/kinds.test.ts',
  'src/providers/classify/disguises.test.ts',
  'test/temporal/facade.test.ts',
  'test/stores/postgres.test.ts',
  'test/stores/postgres-runs.test.ts',
  'test/agents/kill.test.ts',
  'test/sdk-parity/parity.test.ts',
  'test/temporal/people.test.ts',
  'test/walks.test.ts',
  'test/rehearsal/examples.test.ts',
  'test/browser/questions.test.ts',
  'test/docs/recipes.test.ts',
  'test/server/remote.test.ts',
  'test/cli/terminal.test.ts',
  'test/cli/hostile-screens.test.ts',
  'test/temporal/replay.test.ts',
  'test/telemetry/command.test.ts',
  'test/gallery.test.ts',
  'test/cli/first-minute.test.ts',
  'test/browser/recovery.test.ts',
  'test/survival/postgres-kill.test.ts',
  'test/server/endpoints.test.ts',
  'test/browser/repair.test.ts',
  'test/run.test.ts',
  'test/mcp-server/stdio.test.ts',
  'test/rehearsal/command.test.ts',
  'test/survival/endings.test.ts',
  'test/model/played.test.ts',
  'test/temporal/worker-log.test.ts',
  'src/stores/sqlite/sqlite-damage.test.ts',
  'test/simulation/invariants.test.ts',
  'test/server/edges.test.ts',
  'test/mcp/published.test.ts',
  'test/simulation/simulation.test.ts',
  'test/survival/outage.test.ts',
  'src/effects/script/error-file.test.ts',
  'test/survival/lost-log.test.ts',
  'src/effects/sandbox/sandbox-limits.test.ts',
  'test/mcp-server/notifications.test.ts',
  'test/agents/ledger.test.ts',
  'test/cli-runs/crashes.test.ts',
  'test/module-tools.test.ts',
  'test/mcp-server/asking.test.ts',
  'test/ai-sdk/one-failure.test.ts',
];

/**
 * One project after another, those with long files first. Vitest ends a process that serves many files as soon as the
 * next file is of another project, so mixing them would load Vitest and the sources anew for most of the long ones.
 */
const PROJECTS = ['temporal', 'apart', 'whole', 'simulation', 'dashboard', 'units'];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projectOf = ({ project }: TestSpecification): number => PROJECTS.indexOf(project.name);
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = LONG.findIndex((file) => moduleId.endsWith(file));
      return place === -1 ? LONG.length : place;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (one, other) => projectOf(one) - projectOf(other) || placeOf(one) - placeOf(other),
    );
  }
}

const PACKAGES = '**/node_modules/**';
const SIMULATION = 'test/simulation/**/*.test.ts';
/** They share a process because Temporal's SDK takes seconds to load; each has a server of its own. */
const TEMPORAL = 'test/{temporal,engine}/**/*.test.ts';
/**
 * Each file has a process of its own: the memory of the process is measured, and a module that is replaced stays
 * replaced. So may `node:timers/promises` after false timers:
 * whatever imports it first while they are there keeps them.
 */
const APART = [
  'src/resilience-instances.test.ts',
  'src/effects/process/process-group.test.ts',
  'src/engine/temporal/remote-run-handle.test.ts',
  'src/effects/sandbox/**/*.test.ts',
  'test/gallery.test.ts',
];
/** They start processes. */
const PROCESSES = [
  'src/cli/commands/{classify,explain}.test.ts',
  'src/effects/script/helper*.test.ts',
  'src/stores/sqlite/sqlite-crash.test.ts',
];
const UNITS = { include: ['src/**/*.test.ts'], exclude: [...APART, ...PROCESSES, PACKAGES] };
/** They wait for scripts or the disk, or let hours pass: units, but nothing for the fast loop. */
const WAITING = [
  'src/effects/{script,process}/*.test.ts',
  'src/engine/local/keep-schedules.test.ts',
  'src/stores/sqlite/sqlite*.test.ts',
];
/** Node runs the sources as they are, and quicker than what Vite makes of them. */
const NATIVE = { experimental: { viteModuleRunner: false } };
/** One process runs one file after another: loading the sources is a good part of most. */
const TOGETHER = { ...NATIVE, isolate: false };
const PROPERTIES = 'test/properties.setup.ts';
const SETUP = { setupFiles: ['test/left-behind.setup.ts', PROPERTIES] };

// test processes have it from their start: compiling the sources is most of what many of them do, and of the
// processes that they start; V8 counts what it takes from there less precisely
if (!process.argv.includes('--coverage'))
  process.env['NODE_COMPILE_CACHE'] = join(import.meta.dirname, 'node_modules/.cache/errand-tests');

/** The fast loop leaves out the units that wait. */
const unitsOf = (mode: string): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    ...TOGETHER,
    ...UNITS,
    exclude: mode === 'fast' ? [...UNITS.exclude, ...WAITING] : UNITS.exclude,
    name: 'units',
    setupFiles: [PROPERTIES],
  },
});

const SUITES: readonly TestProjectInlineConfiguration[] = [
  {
    extends: true,
    test: { ...TOGETHER, name: 'simulation', include: [SIMULATION], setupFiles: [PROPERTIES] },
  },
  {
    extends: true,
    test: {
      ...TOGETHER,
      ...SETUP,
      name: 'whole',
      include: ['test/**/*.test.ts', ...PROCESSES],
      exclude: [SIMULATION, TEMPORAL, ...APART, PACKAGES],
    },
  },
  {
    extends: true,
    test: { ...TOGETHER, ...SETUP, name: 'temporal', include: [TEMPORAL], exclude: [PACKAGES] },
  },
  {
    extends: true,
    test: { ...NATIVE, ...SETUP, name: 'apart', include: APART, exclude: [PACKAGES] },
  },
  {
    extends: true,
    // they have JSX
    test: {
      name: 'dashboard',
      include: ['dashboard/**/*.test.{ts,tsx}'],
      exclude: [PACKAGES],
      setupFiles: [PROPERTIES],
    },
  },
];

export default defineConfig(({ mode }) => ({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    environment: 'node',
    globals: false,
    sequence: { sequencer: LongFirst },
    // much of it waits for processes, servers and timers, so four fit on two cores; the fast loop waits
    // for nothing, and loading the sources is a good part of it
    maxWorkers: Math.max(mode === 'fast' ? 2 : 4, availableParallelism() - 1),
    // they end what hangs, and are no measure: a machine with other work takes many times as long
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 300_000 } },
    projects: [unitsOf(mode), ...SUITES],
    coverage: { include: ['src/**/*.ts'], exclude: ['**/*.test.ts', '**/*.cases.ts'] },
  },
}));
