import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as aiSdk from '../../src/ai-sdk/index.ts';
import * as classifier from '../../src/classify.ts';
import * as errors from '../../src/errors/index.ts';
import * as library from '../../src/index.ts';
import * as testing from '../../src/rehearsal/index.ts';
import * as server from '../../src/server/index.ts';
import * as stores from '../../src/stores/index.ts';
import * as temporal from '../../src/temporal.ts';
import * as files from '../../src/workflow/authoring/define.ts';

const REPORT = readFileSync(join(import.meta.dirname, '../../docs/reference/api.txt'), 'utf8');

it.each([
  ['errand', library],
  ['errand/ai-sdk', aiSdk],
  ['errand/classify', classifier],
  ['errand/errors', errors],
  ['errand/server', server],
  ['errand/stores', stores],
  ['errand/temporal', temporal],
  ['errand/testing', testing],
  ['errand/workflow', files],
])('the report of the API has every value of %s', (entry, module) => {
  const [, part = ''] = REPORT.split(`== ${entry}\n`);
  const [own = ''] = part.split('\n== ');
  const reported = Array.from(
    own.matchAll(/^(?:const|function|class) (\w+)/gm),
    ([, name = '']) => name,
  );
  expect([...new Set(reported)].toSorted()).toEqual(Object.keys(module).toSorted());
});

/** Types in signatures that a program has no reason to name. */
const UNNAMED: Readonly<Record<string, readonly string[]>> = {
  'they compute other types, or are the words of a compiler error': [
    'AnyFunction',
    'CamelKeys',
    'CheckNodes',
    'FromFile',
    'Named',
    'NotAKind',
    'OwnedByTheRuntime',
    'PlainNode',
    'ReservedPrefix',
    'Ruled',
    'TypesOf',
  ],
  'they are the schema of workflow files, which `errand schema` has': [
    'CallFile',
    'ChildFile',
    'ExtensionFile',
    'ForEachFile',
    'HeaderFile',
    'ParallelFile',
  ],
  'they are inside of a plan or a loaded workflow, which is passed on as a whole': [
    'FilePlan',
    'McpServers',
    'ToolDescriptions',
  ],
  'they are between the engine and its own hosts': ['Director', 'EffectHost', 'EffectInput'],
};

it('exports every type that its signatures use', () => {
  const hidden = [...REPORT.matchAll(/^-- used here, exported nowhere: (.*)$/gm)].flatMap(
    ([, names = '']) => names.split(', '),
  );
  const excused = Object.values(UNNAMED).flat();
  expect(hidden.filter((name) => !excused.includes(name))).toEqual([]);
  expect(excused.filter((name) => !hidden.includes(name))).toEqual([]);
});
