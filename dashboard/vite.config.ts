/** Builds the dashboard: `scripts/dashboard.mjs` says where to. */
import { defineConfig } from 'vite';

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
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    cssCodeSplit: false,
    emptyOutDir: true,
  },
});
