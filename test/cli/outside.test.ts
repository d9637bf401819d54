/**
 * What a workflow file takes from around it, by whoever wrote it: a model that drafts, or a stranger whose
 * pull request is checked. Nothing of the environment and of other files is told to them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPlace, type Place } from './errand.ts';

const PASSWORD = 'hunter2-correct-horse';
const DIARY = 'BEGIN-TOP-SECRET diary entry: the vault code is 998877, second-line';
const ENV = { MY_DB_PASSWORD: PASSWORD, PIN_CODE: '83920174', CITY: 'Lisbon-by-night' };
const SECRETS = [PASSWORD, 'BEGIN-TOP', 'vault', '998877', 'second-line', '83920174', 'Lisbon'];

const head = (more: string): string => `workflow: {name: x, entry_point: a${more}}\n`;
const SET = '- {name: a, type: set, value: 1, routes: [{to: $end}]}';
const nodes = (...each: readonly string[]): string =>
  `nodes:\n${each.map((node) => `  ${node}\n`).join('')}`;

/** Every door that a value of the machine could come through to what is said about the file. */
const HOSTILE: Readonly<Record<string, string>> = {
  'a name': `workflow: {name: x, entry_point: "\${MY_DB_PASSWORD}"}\n${nodes(SET)}`,
  'a default': `workflow: {name: x, entry_point: "\${NONE:-\${MY_DB_PASSWORD}}"}\n${nodes(SET)}`,
  'a part of a name': `workflow: {name: x, entry_point: "x-\${MY_DB_PASSWORD}-y"}\n${nodes(SET)}`,
  'a file': `workflow:\n  name: x\n  entry_point: !file ./diary.txt\n${nodes(SET)}`,
  'a file by its path': `workflow:\n  name: x\n  entry_point: !file FOLDER/diary.txt\n${nodes(SET)}`,
  'a file for a number': `workflow:\n  name: x\n  entry_point: a\n  limits: {timeout_seconds: !file diary.txt}\n${nodes(SET)}`,
  'a variable for a number': `workflow:\n  name: x\n  entry_point: a\n  limits:\n    max_iterations: \${MY_DB_PASSWORD}\n${nodes(SET)}`,
  'a number': `workflow:\n  name: x\n  entry_point: a\n  limits:\n    timeout_seconds: \${PIN_CODE}\n${nodes(SET)}`,
  'a type': `${head('')}${nodes('- {name: a, type: "${MY_DB_PASSWORD}"}')}`,
  'a template': `${head('')}${nodes('- {name: a, type: set, value: "{{ ${MY_DB_PASSWORD} }}", routes: [{to: $end}]}')}`,
  'a template of a name': `${head('')}${nodes('- {name: a, type: set, value: "{{ ${CITY}.x }} {{ ${CITY} | upper }}", routes: [{to: $end}]}')}`,
  'a node that is called so': `workflow: {name: x, entry_point: "hunter2-correct-hors"}\n${nodes('- {name: "${MY_DB_PASSWORD}", type: set, value: 1}')}`,
  'a kind': `${head('')}${nodes('- {name: a, type: script, command: "true", raises: ["${MY_DB_PASSWORD}"], routes: [{to: $end}]}')}`,
  'a child': `${head('')}${nodes('- {name: a, type: workflow, workflow: "${MY_DB_PASSWORD}.yaml", routes: [{to: $end}]}')}`,
  'a child that is a file': `${head('')}${nodes('- {name: a, type: workflow, workflow: ./diary.txt, routes: [{to: $end}]}')}`,
  'a script of a model': `${head(', runtime: {simulate: {m: ./diary.txt}}')}${nodes(SET)}`,
  'a file named by a variable': `workflow:\n  name: x\n  entry_point: !file "\${MY_DB_PASSWORD}"\n${nodes(SET)}`,
  'a schema': `${head('')}${nodes('- {name: a, type: agent, model: sim/m, prompt: hi, tools: [], output_schema: {type: "${MY_DB_PASSWORD}"}, routes: [{to: $end}]}')}`,
  'a model': `${head('')}${nodes('- {name: a, type: agent, model: "${MY_DB_PASSWORD}", prompt: hi, tools: [], routes: [{to: $end}]}')}`,
  'a valid name': `workflow: {name: x, entry_point: "\${CITY}"}\n${nodes('- {name: "${CITY}", type: script, command: "true", timeout_seconds: 3, routes: [{to: $end}]}')}`,
};

let place: Place;
beforeAll(() => {
  place = newPlace();
  place.write('diary.txt', DIARY.replace(', ', ',\n'));
});
afterAll(() => place.remove());

function expectNothingOf(text: string): void {
  for (const secret of SECRETS) expect(text).not.toContain(secret);
}

describe.each(Object.entries(HOSTILE))('%s from around a file', (_name, written) => {
  const file = (): string => written.replaceAll('FOLDER', place.folder);
  // what the author writes is the author's
  const withoutOwn = (text: string): string => text.replaceAll('hunter2-correct-hors`', '');

  it.each([['text'], ['json']])('is not shown by validate as %s', (format) => {
    place.write('pr.yaml', file());
    const { stdout, stderr } = place.run(['validate', 'pr.yaml', '--format', format], { env: ENV });
    expect(stdout).not.toBe('');
    expectNothingOf(withoutOwn(stdout + stderr));
  });

  it('is not told to a model that drafts, nor shown, nor stored', () => {
    const answers = [file(), file(), file()].map((text) => ({
      answer: text.replaceAll('${', () => '$${'),
    }));
    place.write('answers.yaml', JSON.stringify(answers));
    const args = ['draft', 'x', '--model', 'sim/w', '--simulate', 'answers.yaml'];
    const { stdout, stderr } = place.run(args, { env: ENV });
    const run = readdirSync(join(place.folder, '.errand/runs')).at(-1) ?? '';
    expectNothingOf(withoutOwn(stdout + stderr));
    for (const name of readdirSync(join(place.folder, '.errand/runs', run)))
      expectNothingOf(
        withoutOwn(readFileSync(join(place.folder, '.errand/runs', run, name), 'utf8')),
      );
  });
});

it('advises nobody to write what is written', () => {
  place.write('pr.yaml', HOSTILE['a number']?.replace('${PIN_CODE}', '"${SOON}"') ?? '');
  const { stdout } = place.run(['validate', 'pr.yaml'], { env: { SOON: '4711' } });
  expect(stdout).toContain('Write `${SOON}` without quotes: in quotes it is a text');
  place.write('pr.yaml', HOSTILE['a number']?.replace('${PIN_CODE}', '${SOON}') ?? '');
  expect(place.run(['validate', 'pr.yaml'], { env: { SOON: '4711' } }).exit).toBe(0);
});
