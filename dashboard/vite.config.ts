/** Builds the dashboard: `scripts/dashboard.mjs` says where to. */
import { defineConfig } from 'vite';

/** Parts that several pages use, beside what every page begins with. */
const SHARED =
  /dashboard\/(view\/(parts|status|surroundings)|form\/|app\/(confirm|focus|moves|hooks)|text\/(time|words))|src\/errors\/(render\/(phrases|money)|catalog\/vocabulary)|src\/history\/run-view\/(bars|read-view|wire|steps|places)/;

export default defineConfig({
  root: import.meta.dirname,
  // the server puts its own base path before them
  base: './',
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2023',
    // a file in a data address would be inline
    assetsInlineLimit: 0,
    // few files are loaded together, and what loads them ahead is as large as some of them
    modulePreload: false,
    reportCompressedSize: false,
    cssCodeSplit: false,
    emptyOutDir: true,
    rolldownOptions: {
      output: {
        // what most pages need is one file: many small ones compress badly
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: 'shared', test: SHARED }],
        },
      },
    },
  },
});
