import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes minutes begins first, or it would still run when all the rest is done. */
const LONG = ['test/simulation/simulation.test.ts', 'test/survival/kill.test.ts'];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      LONG.some((file) => moduleId.endsWith(file));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const ELSEWHERE = '**/node_modules/**';
const SIMULATION = 'test/simulation/**/*.test.ts';
/** Measures the memory of its whole process. */
const ALONE = 'src/effects/sandbox/**/*.test.ts';
/** They leave nothing behind in their process, so one after another may have it. */
const UNITS = { include: ['src/**/*.test.ts'], exclude: [ALONE, ELSEWHERE] };
const NATIVE = { viteModuleRunner: false };

export default defineConfig({
  test: {
    environment: 'node',
    globals: false,
    sequence: { sequencer: LongFirst },
    // much of it waits for processes, so two fit on two cores as well
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // many processes start from the sources, and compiling them is most of what they do
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/errand-tests') },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        // Node runs the sources as they are, and quicker than what Vite makes of them
        test: { ...UNITS, name: 'units', isolate: false, experimental: NATIVE },
      },
      {
        extends: true,
        test: { name: 'simulation', include: [SIMULATION], experimental: NATIVE },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts', ALONE],
          exclude: [SIMULATION, ELSEWHERE],
        },
      },
    ],
    coverage: { include: ['src/**/*.ts'], exclude: ['**/*.test.ts', '**/*.cases.ts'] },
  },
});
