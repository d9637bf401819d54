import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as errors from '../../src/errors/index.ts';
import * as library from '../../src/index.ts';
import * as stores from '../../src/stores/index.ts';
import * as files from '../../src/workflow/authoring/define.ts';

const REPORT = readFileSync(join(import.meta.dirname, '../../docs/reference/api.txt'), 'utf8');

it.each([
  ['errand', library],
  ['errand/errors', errors],
  ['errand/workflow', files],
  ['errand/stores', stores],
])('the report of the API has every value of %s', (entry, module) => {
  const [, part = ''] = REPORT.split(`== ${entry}\n`);
  const [own = ''] = part.split('\n== ');
  const reported = Array.from(
    own.matchAll(/^(?:const|function|class) (\w+)/gm),
    ([, name = '']) => name,
  );
  expect([...new Set(reported)].toSorted()).toEqual(Object.keys(module).toSorted());
});
