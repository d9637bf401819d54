import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'build/**', 'dist/**'],
    globals: false,
    // much of it waits for processes, so two fit on two cores as well
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 20_000,
    hookTimeout: 120_000,
    coverage: { include: ['src/**/*.ts'], exclude: ['**/*.test.ts', '**/*.cases.ts'] },
  },
});
