#!/usr/bin/env node
/**
 * Starts the command line: from the sources in a checkout, from `dist` in an installed package.
 * Plain JavaScript, so that a Node that is too old can still say so.
 */
const NEEDED = { major: 22, minor: 18 };
const SOURCE = new URL('../src/cli/main.ts', import.meta.url);
const BUILT = new URL('../dist/cli/main.cjs', import.meta.url);

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor)) {
  // an import would load all features of these two modules, which takes longer than this work
  const { directory } = process.getBuiltinModule('node:module').enableCompileCache();
  const { existsSync } = process.getBuiltinModule('node:fs');
  leaveOutExperiments();
  if (existsSync(SOURCE)) await import(SOURCE.href);
  else {
    const { fileURLToPath } = process.getBuiltinModule('node:url');
    const { loadCommand } = await import('./load-command.mjs');
    loadCommand(fileURLToPath(BUILT), directory);
  }
} else {
  const { startOnNewerNode } = await import('./newer-node.mjs');
  startOnNewerNode(NEEDED, import.meta.url);
}

/**
 * Many versions of Node print a warning that their database is experimental, before any output of
 * the command.
 */
function leaveOutExperiments() {
  process.emitWarning = new Proxy(process.emitWarning.bind(process), {
    apply(emit, it, args) {
      if (args[1] !== 'ExperimentalWarning') Reflect.apply(emit, it, args);
    },
  });
}
