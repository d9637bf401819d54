/** `errand validate --no-modules`: checks an untrusted file without running any of its code. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPlace, type Place } from './errand.ts';

const EVIL = `import { writeFileSync } from 'node:fs';
writeFileSync('RAN', 'x');
export const lookup = () => 1;
`;

describe('an untrusted file', () => {
  let place: Place;
  beforeAll(() => {
    place = newPlace({ isShared: true });
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
      {
        severity: 'info',
        code: 'not-looked-at',
        message: expect.stringContaining('not looked at') as string,
        pointer: '/workflow/module',
      },
      { severity: 'info', code: 'not-looked-at', pointer: '/workflow/extensions/0' },
      { severity: 'info', message: expect.stringContaining('was not loaded') as string },
    ]);
  });

  it('has no bound where its code decides the number of attempts', () => {
    place.write(
      'tools.mjs',
      `import { tool } from 'errand';
const run = () => 1;
export const pay = tool({ description: 'p', input: { type: 'object' }, retry: { max: 1 }, run });
`,
    );
    place.write(
      'pay.yaml',
      `workflow: {name: pay, entry_point: a, module: ./tools.mjs}
nodes:
  - {name: a, type: tool, tool: pay, timeout_seconds: 1, routes: [{to: b}, {on_error: true, retry: {max: 1}}]}
  - {name: b, type: script, command: 'true', timeout_seconds: 1, routes: [{to: $end}]}
`,
    );
    const worstOf = (...flags: readonly string[]): object => {
      const { stdout } = place.run(['validate', ...flags, 'pay.yaml', '--format', 'json']);
      const { files } = JSON.parse(stdout) as { files: { worstCase: object }[] };
      return files[0]?.worstCase ?? {};
    };
    expect(worstOf()).toMatchObject({ effects: 5, unbounded: [] });
    const unread = worstOf('--no-modules');
    expect(unread).toMatchObject({ effects: null, modelRequests: 0 });
    expect(JSON.stringify(unread)).toContain('the declaration of pay was not loaded');
    const said = place.run(['validate', '--no-modules', 'pay.yaml']).stdout;
    expect(said).toContain('unbounded effects');
    expect(said).toContain('unbounded: the declaration of pay was not loaded');
  });

  it('is still checked for what needs no code', () => {
    expect(place.run(['validate', '--no-modules', 'plain.yaml']).stdout).toContain(
      'unknown-function',
    );
  });

  it('is loaded with its code otherwise, and the help says so', () => {
    expect(place.run(['validate', '--help']).stdout.replaceAll(/\s+/g, ' ')).toContain(
      'loads the modules and extensions that a file names',
    );
    place.run(['validate', 'theirs.yaml']);
    expect(ran()).toBe(true);
  });
});
