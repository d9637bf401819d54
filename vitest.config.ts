import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes minutes begins first, or it would still run when all the rest is done. */
const LONG = [
  'test/engine/conformance.test.ts',
  'test/survival/kill.test.ts',
  'test/temporal/kill.test.ts',
  'test/simulation/simulation.test.ts',
  'test/temporal/kinds.test.ts',
  'test/temporal/guide.test.ts',
  'test/packaging.test.ts',
  'test/cli-runs/people.test.ts',
  'test/cli/hostile-screens.test.ts',
  'test/docs/docs.test.ts',
  'test/simulation/worst-case.test.ts',
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      LONG.some((file) => moduleId.endsWith(file));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const PACKAGES = '**/node_modules/**';
const SIMULATION = 'test/simulation/**/*.test.ts';
/** Measures the memory of its whole process. */
const ALONE = 'src/effects/sandbox/**/*.test.ts';
/** They start processes. */
const PROCESSES = [
  'src/cli/commands/{classify,explain}.test.ts',
  'src/effects/script/helper*.test.ts',
  'src/stores/sqlite/sqlite-crash.test.ts',
];
/** They leave nothing behind in their process, so one after another may have it. */
const UNITS = { include: ['src/**/*.test.ts'], exclude: [ALONE, ...PROCESSES, PACKAGES] };
/** They start scripts and wait for them: units, but nothing for the fast loop. */
const SCRIPTS = [
  'src/effects/{script,process}/*.test.ts',
  'src/stores/sqlite/sqlite-outage.test.ts',
];
const NATIVE = { viteModuleRunner: false };

export default defineConfig(({ mode }) => ({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    environment: 'node',
    globals: false,
    sequence: { sequencer: LongFirst },
    // much of it waits for processes, servers and timers, so four fit on two cores; the fast loop waits
    // for nothing, and loading the sources is a good part of it
    maxWorkers: Math.max(mode === 'fast' ? 2 : 4, availableParallelism() - 1),
    // many processes start from the sources, and compiling them is most of what they do
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/errand-tests') },
    // they end what hangs, and are no measure: a machine with other work takes many times as long
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 300_000 } },
    projects: [
      {
        extends: true,
        // Node runs the sources as they are, and quicker than what Vite makes of them
        test: {
          ...UNITS,
          exclude: mode === 'fast' ? [...UNITS.exclude, ...SCRIPTS] : UNITS.exclude,
          name: 'units',
          isolate: false,
          experimental: NATIVE,
          setupFiles: mode === 'fast' ? ['test/fewer-runs.setup.ts'] : [],
        },
      },
      {
        extends: true,
        test: { name: 'simulation', include: [SIMULATION], experimental: NATIVE },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts', 'dashboard/**/*.test.{ts,tsx}', ALONE, ...PROCESSES],
          exclude: [SIMULATION, PACKAGES],
        },
      },
    ],
    coverage: { include: ['src/**/*.ts'], exclude: ['**/*.test.ts', '**/*.cases.ts'] },
  },
}));
