/** Runs each module of a folder in sequence, and prints their logs as JSON. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';

const [folder = '.'] = process.argv.slice(2);
/** @type {Record<string, {logged: string[], thrown?: string}>} */
const results = {};
for (const file of readdirSync(folder).filter((name) => name.endsWith('.mts'))) {
  /** @type {string[]} */
  const logged = [];
  Object.assign(console, {
    log: (/** @type {unknown[]} */ ...values) => logged.push(format(...values)),
  });
  try {
    await import(pathToFileURL(join(folder, file)).href);
    results[file] = { logged };
  } catch (error) {
    results[file] = { logged, thrown: format(error) };
  }
}
process.stdout.write(JSON.stringify(results));
