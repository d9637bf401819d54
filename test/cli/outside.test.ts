/**
 * What a workflow file takes from around it, whether a model drafted it or a stranger whose
 * pull request is checked. They learn nothing of the environment and of other files.
 */
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPlace, type Place } from './errand.ts';

const PASSWORD = 'hunter2-correct-horse';
const DIARY = 'BEGIN-TOP-SECRET diary entry: the vault code is 998877, second-line';
const PEM = '-----BEGIN KEY-----\nMIIEsecretAAAA\nBBBBsecret\n-----END KEY-----';
const TRICKY = 'pa"ss: wo\'rd#1secret';
const ENV = {
  MY_DB_PASSWORD: PASSWORD,
  PIN_CODE: '83920174',
  CITY: 'Lisbon-by-night',
  PEM,
  TRICKY,
  PIN: '4711',
};
const SECRETS = [
  PASSWORD,
  'BEGIN-TOP',
  'vault',
  '998877',
  'second-line',
  '83920174',
  'Lisbon',
  'npm_abc',
  'gho_',
  'bob',
  'MIIE',
  'BBBBsecret',
  'pa\\"ss',
  "wo'rd#1",
  '4711',
  '1 h 18 min',
];

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

/** Values that come back in another form: as what to write instead, or in a figure. */
const REMADE: Readonly<Record<string, string>> = {
  'a short file for routes': `${head('')}${nodes('- {name: a, type: set, value: 1, routes: !file ../victim/.npmrc}')}`,
  'a JSON file for routes': `${head('')}${nodes('- {name: a, type: set, value: 1, routes: !file ../victim/config.json}')}`,
  'a list for routes': `${head('')}${nodes('- {name: a, type: set, value: 1, routes: !file ../victim/list.yaml}')}`,
  'a file for assert': `${head('')}${nodes('- {name: a, type: set, value: 1, assert: !file ../victim/.npmrc}')}`,
  'a list for output': `${head('')}${nodes('- {name: a, type: script, command: sh, output: {x: !file ../victim/list.yaml}}')}`,
  'a map for output': `${head('')}${nodes('- {name: a, type: script, command: sh, output: !file ../victim/hosts.yml}')}`,
  'a list for input': `${head(', input: {x: !file ../victim/list.yaml}')}${nodes(SET)}`,
  'a list for raises': `${head('')}${nodes('- {name: a, type: script, command: sh, raises: !file ../victim/list.yaml}')}`,
  'a list for models': `${head('')}${nodes('- {name: a, model: !file ../victim/list.yaml, prompt: hi, tools: [], max_tokens: 5, routes: [{to: $end}]}')}`,
  'a key for routes': `${head('')}${nodes("- {name: a, type: script, command: sh, routes: '${PEM}'}")}`,
  'a key in a map for routes': `${head('')}${nodes("- {name: a, type: script, command: sh, routes: {to: '${PEM}'}}")}`,
  'quotes for routes': `${head('')}${nodes("- {name: a, type: script, command: sh, routes: '${TRICKY}'}")}`,
  'a name with quotes': `workflow: {name: x}\n${nodes("- {name: '${TRICKY}', type: set, value: 1}")}`,
  'a link for routes': `${head('')}${nodes('- {name: a, type: set, value: 1, routes: !file frag.yaml}')}`,
  'a link for a node': `${head('')}${nodes('- !file frag.yaml')}`,
  'a link for a child': `${head('')}${nodes('- {name: a, type: workflow, workflow: ./frag.yaml, routes: [{to: $end}]}')}`,
  'a file for the name of the first node': `workflow: {name: x}\n${nodes('- {name: !file ../victim/.npmrc, type: set, value: 1}')}`,
  'a file that is no YAML': `${head('')}${nodes('- !file ../victim/broken.yaml')}`,
  'a link with a template in it': `${head('')}${nodes('- {name: a, type: set, value: !file frag.md, routes: [{to: $end}]}')}`,
  'a duration': `${head('')}${nodes("- {name: a, type: wait, duration: '${PIN}s', routes: [{to: $end}]}")}`,
  'a time': `${head('')}${nodes('- {name: a, type: script, command: sh, timeout_seconds: ${PIN}, routes: [{to: $end}]}').replace('${PIN},', '${PIN} ,')}`,
  'a limit': `workflow:\n  name: x\n  entry_point: a\n  limits:\n    max_iterations: \${PIN}\n${nodes('- {name: a, type: script, command: sh, timeout_seconds: 1, routes: [{to: a}]}')}`,
};

let place: Place;
beforeAll(() => {
  place = newPlace({ isShared: true });
  mkdirSync(join(place.folder, 'pr'));
  mkdirSync(join(place.folder, 'victim'));
  place.write(
    'victim/.npmrc',
    '//registry.example.org/:_authToken=npm_abcdefghijklmnopqrstuvwxyz012345',
  );
  place.write('victim/config.json', '{"auths": {"reg": {"auth": "gho_DOCKERSECRET"}}}');
  place.write('victim/list.yaml', '- gho_ITEM\n- gho_OUTSIDE2\n');
  place.write('victim/hosts.yml', 'github.com:\n  oauth_token: gho_SECRET123\n  user: bob\n');
  place.write('victim/broken.yaml', 'a: gho_BROKEN: x\n  - ]\n');
  place.write('victim/template', 'gho_TEMPLATE {{ nothing.here | gho_FILTER }} bob');
  symlinkSync('../victim/template', join(place.folder, 'pr/frag.md'));
  symlinkSync('../victim/hosts.yml', join(place.folder, 'pr/frag.yaml'));
  place.write('diary.txt', DIARY.replace(', ', ',\n'));
});
afterAll(() => place.remove());

function expectNothingOf(text: string): void {
  // hashes and ids of 16 or more characters have any four digits by chance
  const shown = text.replaceAll(/\b(?:err_)?(?=[a-z]*\d)[\da-z]{16,}\b/g, '…');
  for (const secret of SECRETS) expect(shown).not.toContain(secret);
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

  it('is not sent to a model that drafts, nor shown, nor stored', () => {
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

describe.each(Object.entries(REMADE))('%s from around a file', (_name, written) => {
  it.each([['text'], ['json']])('is not shown by validate as %s', (format) => {
    place.write('pr/pr.yaml', written);
    const args = ['validate', '--no-modules', 'pr.yaml', '--format', format];
    const { stdout, stderr } = place.run(args, { env: ENV, cwd: 'pr' });
    expect(stdout).not.toBe('');
    expectNothingOf(stdout + stderr);
  });
});

it('shows nothing of a workflow that is a link to another file', () => {
  const cwd = 'pr';
  const { stdout, stderr } = place.run(['validate', 'frag.yaml'], { env: ENV, cwd });
  expect(stdout).toContain('frag.yaml');
  expectNothingOf(stdout + stderr);
});
