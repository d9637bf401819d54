/** Builds the dashboard: `scripts/dashboard.mjs` says where to. */
import { defineConfig, type Plugin } from 'vite';

/** Parts that most pages use: one file, because many small ones compress badly. */
const SHARED =
  /node_modules\/@?preact|dashboard\/(view\/(accept-drift|graph\/(box|graph)|parts|prompt|status|surroundings|table-head)|app\/(api|confirm|focus|hooks|moves)|text\/(time|words))|src\/errors\/(render\/(phrases|money)|catalog\/vocabulary|support\/(printable|safe-json)|report\/bounded-text)|src\/history\/(graph-layout\/layout\.ts|run-view\/(bars|list|read-view|wire|steps|places))|src\/machine\/state\/plan-lookup/;

/** Parts that are loaded when a person is asked, or starts a run. */
const FORMS = /dashboard\/form\/(?!questions)/;

/** Styles are one file that the page names, so that nothing has to be loaded beside a script. */
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  load: {
    filter: { id: /^\0vite\/preload-helper\.js$/ },
    handler: () => 'export const __vitePreload = (load) => load();',
  },
};

export default defineConfig({
  plugins: [plainImports],
  root: import.meta.dirname,
  // the server puts its own base path before them
  base: './',
  publicDir: false,
  logLevel: 'warn',
  // whatever NODE_ENV says: for development every element would hold the place of its source
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
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
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'shared', test: SHARED },
            { name: 'forms', test: FORMS },
          ],
        },
      },
    },
  },
});
