/**
 * `npm run layers`: writes the project references and the linter's import rules from the table of
 * layers.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './install.mjs';
import { filesOfLayers } from './layer-files.mjs';

for (const [path, text] of filesOfLayers((file) => readFileSync(join(ROOT, file), 'utf8')))
  writeFileSync(join(ROOT, path), text);
