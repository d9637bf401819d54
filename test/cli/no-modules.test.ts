/** `errand validate --no-modules`: a file of someone else is checked, and none of its code is run. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPlace, type Place } from './errand.ts';

const EVIL = `import { writeFileSync } from 'node:fs';
writeFileSync('RAN', 'x');
export const lookup = () => 1;
`;

describe('a file of someone else', () => {
  let place: Place;
  beforeAll(() => {
    place = newPlace();
    place.write('evil.mjs', EVIL);
    place.write(
      'theirs.yaml',
      `workflow: {name: theirs, entry_point: a, module: ./evil.mjs, extensions: [./evil.mjs]}
nodes:
  - {name: a, type: call, function: lookup, routes: [{to: b}]}
  - {name: b, type: acme.thing, routes: [{to: c}]}
  - {name: c, type: workflow, workflow: ./child.yaml, routes: [{to: $end}]}
`,
    );
    place.write(
      'child.yaml',
      `workflow: {name: child, entry_point: a, module: ./evil.mjs}
nodes: [{name: a, type: call, function: other, routes: [{to: $end}]}]
`,
    );
    place.write(
      'plain.yaml',
      `workflow: {name: plain, entry_point: a}
nodes: [{name: a, type: call, function: nobody, routes: [{to: $end}]}]
`,
    );
  });
  afterAll(() => place.remove());
  const ran = (): boolean => existsSync(join(place.folder, 'RAN'));

  it('runs no code, and each module and extension is an info', () => {
    const { exit, stdout } = place.run(
      ['validate', '--no-modules', 'theirs.yaml', '--format', 'json'],
      {
        env: { ERRAND_EXTENSIONS: './evil.mjs' },
      },
    );
    const { files } = JSON.parse(stdout) as {
      files: {
        diagnostics: { severity: string; code: string; message: string; pointer: string }[];
      }[];
    };
    expect([exit, ran()]).toEqual([0, false]);
    expect(files.flatMap(({ diagnostics }) => diagnostics)).toMatchObject([
      { severity: 'info', code: 'not-looked-at', pointer: '/workflow/module' },
      { severity: 'info', code: 'not-looked-at', pointer: '/workflow/extensions/0' },
      { severity: 'info', message: expect.stringContaining('not looked at') as string },
    ]);
  });

  it('is still checked for what needs no code', () => {
    expect(place.run(['validate', '--no-modules', 'plain.yaml']).stdout).toContain(
      'unknown-function',
    );
  });

  it('is loaded with its code otherwise, and the help says so', () => {
    expect(place.run(['validate', '--help']).stdout.replaceAll(/\s+/g, ' ')).toContain(
      'modules and extensions that a file names are loaded',
    );
    place.run(['validate', 'theirs.yaml']);
    expect(ran()).toBe(true);
  });
});
