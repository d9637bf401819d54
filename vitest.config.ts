import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'build/**', 'dist/**'],
    globals: false,
    testTimeout: 20_000,
    hookTimeout: 120_000,
    coverage: { include: ['src/**/*.ts'], exclude: ['**/*.test.ts', '**/*.cases.ts'] },
  },
});
