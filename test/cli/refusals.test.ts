/** A refusal looks the same, whatever command refuses. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPlace, type Place } from './errand.ts';

const ABSENT = '000000000000000000000000';

describe('a run that is not there', () => {
  let place: Place;
  beforeAll(() => {
    place = newPlace({ isShared: true });
    place.write(
      'ok.yaml',
      'workflow: {name: w, entry_point: a}\nnodes: [{name: a, type: set, value: 1}]\n',
    );
    place.run(['run', 'ok.yaml']);
  });
  afterAll(() => place.remove());

  const COMMANDS: readonly (readonly [string, ...string[]])[] = [
    ['resume'],
    ['retry'],
    ['answer', '--value', 'yes'],
    ['cancel'],
    ['show'],
    ['watch'],
    ['costs'],
    ['audit'],
    ['explain'],
    ['export', '--output', 'run.jsonl'],
    ['delete'],
  ];

  /** Without the id of the report, which is another each time. */
  const refusal = (args: readonly string[]): readonly unknown[] => {
    const { exit, stdout, stderr } = place.run(args);
    return [exit, stdout, stderr.replaceAll(/err_[a-z0-9]+/g, 'ID')];
  };

  it.each(COMMANDS)('is named with its kind by %s', (name, ...rest) => {
    const [exit, stdout, stderr] = refusal([name, ABSENT, ...rest]);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/kind +run\.not_found/);
    expect(stderr).toContain('errand runs');
    expect(stderr).toBe(refusal(['resume', ABSENT])[2]);
  });

  it.each([['resume'], ['watch']])('is one line for %s when quiet', (name) => {
    const [exit, , stderr] = refusal([name, ABSENT, '--quiet']);
    expect([exit, stderr]).toEqual([2, expect.stringMatching(/^run\.not_found .*\n?$/)]);
  });
});

describe('a mistake in what was typed', () => {
  let place: Place;
  beforeAll(() => void (place = newPlace({ isShared: true })));
  afterAll(() => place.remove());

  it.each([
    [['runs', '--status', 'lost']],
    [['prune', '--older-than', 'long']],
    [['import', 'nowhere.jsonl']],
    [['run', 'nowhere.yaml']],
    [['explain', 'provider.quota_exhaustd']],
  ])('is a panel with the kind for %j', (args) => {
    const { exit, stdout, stderr } = place.run(args);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/kind +validation\.[a-z]+/);
    expect(stderr).toMatch(/next +\S/);
  });
});

describe('a slip between commands', () => {
  let place: Place;
  beforeAll(() => void (place = newPlace({ isShared: true })));
  afterAll(() => place.remove());

  it.each<[readonly string[], string]>([
    [['run', ABSENT], `errand resume ${ABSENT}`],
    [['resume', 'triage.yaml'], 'To run the file: errand run triage.yaml'],
    [['serve', '--server', 'http://127.0.0.1:1'], 'executes the runs of this project itself'],
    [['mcp', '--server', 'http://127.0.0.1:1'], 'executes the runs of this project itself'],
    [['validate', '--server', 'http://127.0.0.1:1', 'a.yaml'], 'needs no runs'],
  ])('is answered with what helps: %j', (args, advice) => {
    const { exit, stderr } = place.run(args);
    expect(exit).toBe(2);
    expect(stderr.replaceAll(/[│\s]+/g, ' ')).toContain(advice);
  });
});

it('a package that is missing is no fault of the input', () => {
  const place = newPlace();
  const { exit, stderr } = place.run(['mcp']);
  place.remove();
  expect(exit).toBe(2);
  expect(stderr).toMatch(/kind +extension\.missing/);
  expect(stderr).toContain('npm install @modelcontextprotocol/server');
});

describe('what would be dropped in silence', () => {
  let place: Place;
  beforeAll(() => {
    place = newPlace({ isShared: true });
    place.write(
      'gate.yaml',
      `workflow: {name: w, entry_point: ship, input: {x: {type: string, required: false}}}
nodes: [{name: ship, type: human_gate, prompt: Ship?, options: [{label: Yes, value: yes, route: $end}]}]
`,
    );
    place.write('not-a-folder', '');
  });
  afterAll(() => place.remove());

  it.each<[string, readonly string[], readonly string[]]>([
    ['an input twice', ['run', 'gate.yaml', '-i', 'x=a', '-i', 'x=b'], ['-i names x twice']],
    [
      'an input of a rehearsal twice',
      ['rehearse', 'gate.yaml', '-i', 'x=a', '-i', 'x=b'],
      ['-i names x twice'],
    ],
    ['an answer for no node', ['run', 'gate.yaml', '--answer', 'q=yes'], ['names q', 'ship']],
    ['help for no command', ['help', 'rnu'], ["unknown command 'rnu'", 'run']],
  ])('is refused: %s', (_, args, words) => {
    const { exit, stdout, stderr } = place.run(args);
    expect([exit, stdout]).toEqual([2, '']);
    for (const word of words) expect(stderr).toContain(word);
  });

  it.each([['runs'], ['run', 'gate.yaml'], ['show', ABSENT]])(
    'names the file that ERRAND_HOME names: %s',
    (...args) => {
      const { exit, stderr } = place.run(args, { env: { ERRAND_HOME: 'not-a-folder' } });
      expect(exit).not.toBe(0);
      expect(stderr).toContain('store.unavailable');
      expect(stderr).toContain('not-a-folder is not a folder');
    },
  );
});
