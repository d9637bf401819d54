/**
 * Records the modules that a program loads, in the file that `RECORD_MODULES` names.
 * `loaded-modules.mjs` preloads this while the package is bundled.
 */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** @type {Set<string>} */
const loaded = new Set();
registerHooks({
  load(url, context, next) {
    loaded.add(url);
    return next(url, context);
  },
});
process.once('exit', () =>
  writeFileSync(process.env['RECORD_MODULES'] ?? '', JSON.stringify([...loaded])),
);
