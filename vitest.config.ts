import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * What takes longest begins first and in this order, or it would still run, alone, when all the rest is done. Measured:
 * some work, and some wait.
 */
const LONG = [
  'test/temporal/kill.test.ts',
  'test/engine/conformance.test.ts',
  'test/temporal/kinds.test.ts',
  'test/survival/kill.test.ts',
  'test/simulation/simulation.test.ts',
  'test/server/hostile.test.ts',
  'test/packaging.test.ts',
  'test/temporal/worker-log.test.ts',
  'test/telemetry/receivers.test.ts',
  'test/model/played.test.ts',
  'test/browser/accessibility.test.ts',
  'test/docs/docs.test.ts',
  'test/temporal/guide.test.ts',
  'test/temporal/boundary.test.ts',
  'test/simulator/hostile-schemas.test.ts',
  'test/rehearsal/examples.test.ts',
  'test/rehearsal/command.test.ts',
  'test/telemetry/command.test.ts',
  'test/mcp-server/runs.test.ts',
  'test/mcp-server/stdio.test.ts',
  'test/module-tools.test.ts',
  'test/module.test.ts',
  'test/mcp/rubbish.test.ts',
  'test/mcp/stdio.test.ts',
  'test/mcp/runs.test.ts',
  'test/stores/postgres.test.ts',
  'test/simulation/worst-case.test.ts',
  'test/simulation/renamed.test.ts',
  'test/simulation/same-history.test.ts',
  'test/server/edges.test.ts',
  'test/server/remote.test.ts',
  'test/sdk-parity/parity.test.ts',
  'test/cli-runs/crashes.test.ts',
  'test/cli/hostile-screens.test.ts',
  'test/browser/run-page.test.ts',
  'test/browser/repair.test.ts',
  'test/browser/opening.test.ts',
  'test/browser/questions.test.ts',
  'test/browser/recovery.test.ts',
  'test/browser/runs.test.ts',
  'test/browser/long-runs.test.ts',
  'test/browser/every-page.test.ts',
  'test/agents/ledger.test.ts',
  'test/oldest-node.test.ts',
  'test/survival/servers.test.ts',
  'test/survival/postgres-kill.test.ts',
  'test/survival/stops.test.ts',
  'test/survival/outage.test.ts',
  'test/survival/lost-log.test.ts',
  'test/temporal/people.test.ts',
  'test/temporal/killed-telemetry.test.ts',
  'test/temporal/facade.test.ts',
  'test/temporal/replay.test.ts',
  'test/people/extensions.test.ts',
  'test/mcp-server/asking.test.ts',
  'test/run.test.ts',
  'test/release.test.ts',
  'test/cli/private-files.test.ts',
  'test/cli/terminal.test.ts',
  'test/cli-runs/people.test.ts',
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = LONG.findIndex((file) => moduleId.endsWith(file));
      return place === -1 ? LONG.length : place;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

const PACKAGES = '**/node_modules/**';
const SIMULATION = 'test/simulation/**/*.test.ts';
/**
 * Each file has a process of its own: the memory of the process is measured, Temporal's SDK has one
 * runtime in each, and a module that is replaced stays replaced.
 */
const APART = [
  'src/effects/sandbox/**/*.test.ts',
  'test/{temporal,engine}/**/*.test.ts',
  'test/gallery.test.ts',
];
/** They start processes. */
const PROCESSES = [
  'src/cli/commands/{classify,explain}.test.ts',
  'src/effects/script/helper*.test.ts',
  'src/stores/sqlite/sqlite-crash.test.ts',
];
const UNITS = { include: ['src/**/*.test.ts'], exclude: [...APART, ...PROCESSES, PACKAGES] };
/** They start scripts and wait for them: units, but nothing for the fast loop. */
const SCRIPTS = [
  'src/effects/{script,process}/*.test.ts',
  'src/stores/sqlite/sqlite-outage.test.ts',
];
/** Node runs the sources as they are, and quicker than what Vite makes of them. */
const NATIVE = { experimental: { viteModuleRunner: false } };
/** One process runs one file after another: loading the sources is a good part of most. */
const TOGETHER = { ...NATIVE, isolate: false };
const SETUP = { setupFiles: ['test/left-behind.setup.ts'] };

// test processes have it from their start: compiling the sources is most of what many of them do, and of the
// processes that they start; V8 counts what it takes from there less precisely
if (!process.argv.includes('--coverage'))
  process.env['NODE_COMPILE_CACHE'] = join(import.meta.dirname, 'node_modules/.cache/errand-tests');

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
    projects: [
      {
        extends: true,
        test: {
          ...TOGETHER,
          ...UNITS,
          exclude: mode === 'fast' ? [...UNITS.exclude, ...SCRIPTS] : UNITS.exclude,
          name: 'units',
          setupFiles: mode === 'fast' ? ['test/fewer-runs.setup.ts'] : [],
        },
      },
      { extends: true, test: { ...TOGETHER, name: 'simulation', include: [SIMULATION] } },
      {
        extends: true,
        test: {
          ...TOGETHER,
          ...SETUP,
          name: 'whole',
          include: ['test/**/*.test.ts', ...PROCESSES],
          exclude: [SIMULATION, ...APART, PACKAGES],
        },
      },
      {
        extends: true,
        test: { ...NATIVE, ...SETUP, name: 'apart', include: APART, exclude: [PACKAGES] },
      },
      {
        extends: true,
        // they have JSX
        test: { name: 'dashboard', include: ['dashboard/**/*.test.{ts,tsx}'], exclude: [PACKAGES] },
      },
    ],
    coverage: { include: ['src/**/*.ts'], exclude: ['**/*.test.ts', '**/*.cases.ts'] },
  },
}));
