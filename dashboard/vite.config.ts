/** Builds the dashboard: `scripts/dashboard.mjs` names the target folder. */
import { defineConfig, type Plugin } from 'vite';

/**
 * Parts that most pages use, in one file, because many small ones compress badly. Each entry is the
 * beginning of file names.
 */
const SHARED = [
  'dashboard/app/api',
  'dashboard/app/confirm',
  'dashboard/app/focus',
  'dashboard/app/hooks',
  'dashboard/app/moves',
  'dashboard/text/time',
  'dashboard/text/words',
  'dashboard/view/accept-drift',
  'dashboard/view/graph/box',
  'dashboard/view/graph/graph',
  'dashboard/view/parts',
  'dashboard/view/prompt',
  'dashboard/view/status',
  'dashboard/view/surroundings',
  'dashboard/view/table-head',
  'node_modules/@preact',
  'node_modules/preact',
  'src/errors/catalog/vocabulary',
  'src/errors/render/money',
  'src/errors/render/report-words',
  'src/errors/report/bounded-text',
  'src/errors/support/printable',
  'src/errors/support/safe-json',
  'src/history/graph-layout/layout.ts',
  'src/history/run-view/bars',
  'src/history/run-view/places',
  'src/history/run-view/read-view',
  'src/history/run-view/sent-view',
  'src/history/run-view/shared-list',
  'src/history/run-view/steps',
  'src/machine/state/plan-lookup',
];

const found = new Set<string>();

function isShared(module: string): boolean {
  const start = SHARED.find((each) => module.includes(`/${each}`));
  if (start !== undefined) found.add(start);
  return start !== undefined;
}

/**
 * Without this check, a renamed file would silently make the parts import each other in a circle,
 * and each page larger.
 */
const allShared: Plugin = {
  name: 'all-shared',
  apply: (_config, { isSsrBuild }) => isSsrBuild !== true,
  generateBundle() {
    const gone = SHARED.filter((each) => !found.has(each));
    if (gone.length > 0) this.error(`No module of the pages begins with ${gone.join(', ')}`);
  },
};

/** Parts that are loaded when a person is asked, or starts a run. */
const FORMS = /dashboard\/form\/(?!questions)/;

/** Styles are one file that the page names, so that scripts load nothing else. */
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  load: {
    filter: { id: /^\0vite\/preload-helper\.js$/ },
    handler: () => 'export const __vitePreload = (load) => load();',
  },
};

export default defineConfig({
  plugins: [plainImports, allShared],
  root: import.meta.dirname,
  // the server puts its own base path before them
  base: './',
  publicDir: false,
  logLevel: 'warn',
  // independent of NODE_ENV: in development mode every element would hold its source position
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
  build: {
    target: 'es2023',
    // a file in a data address would be inline
    assetsInlineLimit: 0,
    // few files are loaded together, and a preload script would be as large as some of them
    modulePreload: false,
    reportCompressedSize: false,
    cssCodeSplit: false,
    emptyOutDir: true,
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'shared', test: isShared },
            { name: 'forms', test: FORMS },
          ],
        },
      },
    },
  },
});
