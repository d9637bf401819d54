/** Every command through the real binary: what it prints, in what shape, and how it exits. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPlace, type Place } from './errand.ts';

const COMMANDS = [
  'run',
  'rehearse',
  'resume',
  'retry',
  'answer',
  'cancel',
  'worker',
  'runs',
  'watch',
  'explain',
  'show',
  'costs',
  'audit',
  'delete',
  'prune',
  'init',
  'draft',
  'validate',
  'schema',
  'classify',
  'simulate',
  'doctor',
  'completion',
] as const;

const KEY = 'sk-proj-0123456789abcdefghijklmnopqrstuvwxyz';

/** A rate limit that a fallback answers, then a script that leaks and fails two boundaries deep. */
const PARENT = `workflow:
  name: parent
  entry_point: label
  input: {n: {type: number, default: 1}}
  runtime:
    simulate_price_per_mtok: {input: 3, output: 15}
    simulate:
      busy: [{fail: {kind: provider.rate_limited, retry_after: 0.1}, usage: {input_tokens: 100, output_tokens: 0}}]
      calm: [{answer: {ok: true}, usage: {input_tokens: 100, output_tokens: 10}}]
nodes:
  - {name: label, type: agent, model: [sim/busy, sim/calm], prompt: Hello, tools: [], output: {ok: {type: boolean}}, routes: [{to: call}]}
  - {name: call, type: workflow, workflow: ./child.yaml, routes: [{to: $end}, {on_error: order.missing, to: call}]}
`;
const CHILD = `workflow: {name: child, entry_point: fetch}
nodes:
  - {name: fetch, type: script, command: node, args: ['-e', "console.error('no answer from ' + process.cwd() + ' with ' + process.env.OPENAI_API_KEY); process.exit(7)"]}
`;
const GATE = `workflow: {name: gated, entry_point: review}
nodes:
  - {name: review, type: human_gate, prompt: Go on?, options: [{label: Yes, value: yes}, {label: No, value: no}]}
`;

let place: Place;
beforeAll(() => {
  place = newPlace({ isShared: true });
  place.write('parent.yaml', PARENT);
  place.write('child.yaml', CHILD);
  place.write('gate.yaml', GATE);
});
afterAll(() => place.remove());

describe('validate', () => {
  it('reports a circle in each of its files', () => {
    const calls = (file: string): string =>
      `workflow: {name: t, entry_point: a}\nnodes: [{name: a, type: workflow, workflow: ./${file}}]\n`;
    place.write('left.yaml', calls('right.yaml'));
    place.write('right.yaml', calls('left.yaml'));
    const circle = [{ severity: 'error', code: 'workflow-cycle', pointer: '/nodes/0/workflow' }];
    expect(place.json(['validate', 'left.yaml', 'right.yaml'])).toMatchObject({
      isValid: false,
      files: [
        { file: 'left.yaml', diagnostics: circle },
        { file: 'right.yaml', diagnostics: circle },
      ],
    });
  });
});

describe('the worst case and the kinds of a file', () => {
  const said = (prompt: string): string => {
    place.write(
      'kinds.yaml',
      `workflow: {name: t, entry_point: a}\nnodes: [{name: a, model: sim/x, prompt: "${prompt}"}]\n`,
    );
    return place.run(['validate', 'kinds.yaml']).stdout;
  };

  it('are left out while the file has errors', () => {
    expect(said('{{ nobody.output }}')).toMatch(/unknown-name/);
    expect(said('{{ nobody.output }}')).not.toMatch(/at worst|kinds? of failure/);
  });

  it('end with what the default does', () => {
    expect(said('Hi')).toMatch(/at worst/);
    expect(said('Hi').replaceAll(/\s+/g, ' ').trimEnd()).toMatch(
      /the default: .* gets the failure; --format json lists every kind and its route$/,
    );
  });
});

describe('help', () => {
  it('of the whole lists every command', () => {
    const { exit, stdout } = place.run(['--help']);
    expect(exit).toBe(0);
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it.each(COMMANDS)('of %s has an example, and is as in its golden file', async (command) => {
    const { exit, stdout, stderr } = place.run([command, '--help']);
    expect([exit, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Examples?:\n  .*errand /m);
    await expect(stdout).toMatchFileSnapshot(`__golden__/help/${command}.txt`);
  });

  it('of run has the exit codes', () => {
    expect(place.run(['run', '--help']).stdout).toMatch(/^  5 {4}Paused/m);
  });
});

describe('an unknown word', () => {
  it.each([
    [['rnu', 'x'], 'Did you mean run?'],
    [['run', 'gate.yaml', '--fromat', 'json'], 'Did you mean --format?'],
    [['explain', 'provider.rate_limitd'], 'Did you mean provider.rate_limited?'],
    [['completion', 'bsh'], 'Did you mean bash?'],
    [['run', 'gte.yaml'], 'Did you mean gate.yaml?'],
    [['run', 'gate'], 'Did you mean gate.yaml?'],
    [['show', 'nobody'], 'This project has no runs yet: errand run FILE starts one.'],
  ])('%j gets a suggestion', (args, hint) => {
    const { exit, stdout, stderr } = place.run(args);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toContain(hint);
  });

  it('creates no folder for a command that only reads', () => {
    expect(place.run(['runs']).stdout).toBe('No runs yet. Start one with: errand run FILE\n');
    expect(existsSync(join(place.folder, '.errand'))).toBe(false);
  });
});

describe('a run that fails', () => {
  const env = { OPENAI_API_KEY: KEY };
  let ended: ReturnType<Place['run']>;
  let run: string;
  beforeAll(() => {
    ended = place.run(['run', 'parent.yaml'], { env });
    run = (place.json(['runs']) as { run: string }[])[0]?.run ?? '';
  });

  it('ends in a panel with what to do', () => {
    expect([ended.exit, ended.stdout]).toEqual([3, '']);
    for (const said of [
      /kind {7}internal\.script_error/,
      /where {6}call\/fetch in child \(child\.yaml:3:5\)/,
      /via {8}call in parent/,
      /tried {6}1\. node: internal\.script_error/,
      /cost {7}\$0\.00075, of which \$0\.0003 for failed attempts/,
      new RegExp(`Resume: errand resume ${run}`),
      new RegExp(`Full history: errand explain ${run}`),
      /id {9}err_\w+/,
    ])
      expect(ended.stderr).toMatch(said);
  });

  it('is the same failure wherever it is read', () => {
    const shown = place.json(['show', run]) as { error: Record<string, unknown> };
    const reported = place.json(['explain', run]) as {
      error: Record<string, unknown>;
      life: { id: string; error: unknown }[];
    };
    const line = readFileSync(join(place.folder, '.errand/runs', run, 'errors.jsonl'), 'utf8');
    const { run: of, ...stored } = JSON.parse(line) as Record<string, unknown>;
    const facts = ({
      id,
      kind,
      category,
      retryable,
      action,
      location,
    }: Record<string, unknown>) => ({
      id,
      kind,
      category,
      retryable,
      action,
      location,
    });
    expect(of).toBe(run);
    expect(facts(reported.error)).toEqual(facts(shown.error));
    expect(facts(stored)).toEqual(facts(shown.error));
    expect(reported.life.at(-1)?.error).toEqual(reported.error);
  });

  it('is shown in the shape of the contract', () => {
    expect(place.json(['show', run])).toMatchObject({
      run,
      workflow: 'parent',
      file: 'parent.yaml',
      status: 'failed',
      input: { n: 1 },
      error: { kind: 'internal.script_error' },
      nodes: [
        { path: 'label', status: 'completed', attempts: 1 },
        { path: 'call', status: 'failed', attempts: 1 },
        { path: 'call/fetch', status: 'failed', attempts: 1 },
      ],
      costs: { totalUsdMicros: 750, failedUsdMicros: 300 },
    });
    expect(place.json(['costs', run])).toMatchObject({
      totalUsdMicros: 750,
      failedUsdMicros: 300,
      attempts: [
        { path: 'label', target: 'sim/busy', kind: 'provider.rate_limited', outcome: 'failed' },
        { path: 'label', target: 'sim/calm', outcome: 'succeeded', outputTokens: 10 },
        { path: 'call/fetch', type: 'script', kind: 'internal.script_error' },
      ],
    });
    expect(place.json(['audit', run])).toEqual([]);
  });

  it('is explained with the failure that was handled, too', () => {
    expect(place.json(['explain', run])).toMatchObject({
      run,
      error: { kind: 'internal.script_error' },
      life: [
        { kind: 'provider.rate_limited', status: 'handled', source: { target: 'sim/busy' } },
        {
          kind: 'internal.script_error',
          status: 'failed',
          path: 'call/fetch',
          layers: [{ node: 'fetch' }, { node: 'call' }],
        },
      ],
    });
    const { stdout } = place.run(['explain', run]);
    expect(stdout).toContain('sim/calm was called instead, at once');
    expect(stdout).toContain('not route number 2 (order.missing: to): it is not for');
  });

  it('is printed again by watch, from its events', () => {
    const { exit, stdout } = place.run(['watch', run, '--json']);
    const path = join(place.folder, '.errand/runs', run, 'events.jsonl');
    expect([exit, stdout]).toEqual([0, readFileSync(path, 'utf8')]);
  });

  it('shows no key, no stack and no path of this machine to anyone', () => {
    const said = [
      ended.stderr,
      ...['show', 'costs', 'audit', 'explain', 'watch'].flatMap((command) =>
        ['text', 'json'].map((format) => {
          const { stdout, stderr } = place.run([command, run, '--format', format]);
          expect(stdout + stderr).not.toContain(KEY);
          // events are the record as it is, paths of this machine included
          return format === 'json' && command === 'watch' ? '' : stdout + stderr;
        }),
      ),
    ].join('\n');
    expect(said).not.toContain(KEY);
    expect(said).not.toContain(place.folder);
    expect(said).not.toMatch(/^ +at .*:\d+:\d+/m);
  });

  it('prints one line with --quiet, and every step with --verbose', () => {
    const quiet = place.run(['resume', run, '--quiet'], { env });
    expect([quiet.exit, quiet.stdout]).toEqual([3, '']);
    expect(quiet.stderr).toMatch(/^internal\.script_error \[.*\(err_\w+\)\n$/);
    const verbose = place.run(['resume', run, '--verbose'], { env });
    expect(verbose.stderr).toMatch(/^\d\d:\d\d:\d\d\.\d{3}   call\/fetch: calls script node/m);
    expect(place.json(['audit', run])).toMatchObject([
      { who: expect.stringMatching(/^cli(:|$)/), what: 'resume' },
      { who: expect.stringMatching(/^cli(:|$)/), what: 'resume' },
    ]);
  });

  it('has the commands in Markdown, too', () => {
    const { exit, stdout } = place.run(['resume', run, '--format', 'markdown'], { env });
    expect(exit).toBe(3);
    expect(stdout).toMatch(/^### Your script failed: `internal\.script_error`\n/);
    expect(stdout.split('\n').slice(-3)).toEqual([
      `- Resume: \`errand resume ${run}\``,
      `- Full history: \`errand explain ${run}\``,
      '',
    ]);
  });

  it('is refused when a finished node has changed, with the commands that resume it', () => {
    place.write('parent.yaml', PARENT.replace('prompt: Hello', 'prompt: Good morning'));
    const { exit, stderr } = place.run(['resume', run]);
    expect(exit).toBe(2);
    expect(stderr).toContain(`Keep their results: errand resume ${run} --accept-drift`);
    // the command has a line of its own where the words before it leave no room
    expect(
      stderr.endsWith(`Run them again:\nerrand retry ${run} --from label --accept-drift\n`),
    ).toBe(true);
  });

  it('is suggested for the beginning of its id', () => {
    const { exit, stderr } = place.run(['show', run.slice(0, 6)]);
    expect(exit).toBe(2);
    expect(stderr).toContain(`Did you mean ${run}?`);
  });
});

describe('a run that waits', () => {
  it('is listed with what it waits for, and resumes when it is answered', () => {
    const { exit, stderr } = place.run(['run', 'gate.yaml']);
    const [first] = place.json(['runs', '--limit', '1']) as Record<string, unknown>[];
    const run = String(first?.['run']);
    const wait = { reason: 'gate', gate: 'review', opening: 3, node: 'review', path: 'review' };
    expect(exit).toBe(5);
    expect(stderr).toContain(`  answer: errand answer ${run} review --value yes\n`);
    expect(first).toEqual({
      run,
      workflow: 'gated',
      status: 'paused',
      startedAt: expect.stringMatching(/Z$/),
      waiting: { ...wait, options: ['yes', 'no'], all: [{ ...wait, options: ['yes', 'no'] }] },
      costUsdMicros: 0,
    });
    expect(place.run(['answer', run, '--value', 'perhaps']).exit).toBe(2);
    expect(place.run(['answer', run, '--value', 'yes', '-q'])).toEqual({
      exit: 0,
      stdout: '{\n  "selected": "yes",\n  "additional_input": null\n}\n',
      stderr: '',
    });
    expect(place.json(['audit', run])).toMatchObject([
      { who: expect.stringMatching(/^cli(:|$)/), what: 'answer', path: 'review', detail: 'yes' },
    ]);
    expect(place.json(['explain', run])).toEqual({ run, error: null, life: [] });
  });
});

describe('errand init', () => {
  it('writes a workflow that is valid, runs at once, and handles its own failure', () => {
    const { exit, stdout } = place.run(['init', 'first.yaml']);
    expect([exit, stdout.split('\n')[0]]).toEqual([0, 'Wrote first.yaml and first.test.mjs.']);
    const text = readFileSync(join(place.folder, 'first.yaml'), 'utf8');
    expect(text.split('\n')[0]).toBe(
      '# yaml-language-server: $schema=./node_modules/errand/schema/workflow.json',
    );
    const verdict = place.json(['validate', '--strict', 'first.yaml']);
    expect(verdict).toMatchObject({ isValid: true, files: [{ diagnostics: [] }] });
    const ran = place.run(['run', 'first.yaml', '-i', 'ticket=It broke']);
    expect(JSON.parse(ran.stdout)).toEqual({
      label: 'bug',
      text: 'Thank you. We have filed this as a bug.',
    });
    expect(ran.stderr).toMatch(/1 failure handled: errand explain \S+\n$/);
  });

  it('writes nothing when the test exists', () => {
    writeFileSync(join(place.folder, 'mine.test.mjs'), '// mine');
    const { exit, stderr } = place.run(['init', 'mine.yaml']);
    expect([exit, existsSync(join(place.folder, 'mine.yaml'))]).toEqual([2, false]);
    expect(stderr).toContain('mine.test.mjs already exists; nothing was written');
  });

  it('overwrites no file', () => {
    const before = readFileSync(join(place.folder, 'gate.yaml'), 'utf8');
    const { exit, stderr } = place.run(['init', 'gate.yaml']);
    expect(exit).toBe(2);
    expect(stderr).toContain('gate.yaml already exists; nothing was written');
    expect(readFileSync(join(place.folder, 'gate.yaml'), 'utf8')).toBe(before);
  });
});

describe('errand doctor', () => {
  it('names the keys that are set and shows none of them', () => {
    const { stdout } = place.run(['doctor', '--format', 'json'], {
      env: { OPENAI_API_KEY: KEY, ERRAND_HOME: 'elsewhere' },
    });
    const { findings } = JSON.parse(stdout) as { findings: { check: string; detail: string }[] };
    expect(findings.find(({ check }) => check === 'key openai')?.detail).toMatch(
      /^OPENAI_API_KEY set; /,
    );
    expect(stdout).not.toContain(KEY);
    expect(readdirSync(place.folder)).not.toContain('elsewhere');
  });

  it('needs the package of a provider, and no other', () => {
    const own = newPlace();
    mkdirSync(join(own.folder, 'node_modules/@ai-sdk/openai'), { recursive: true });
    own.write(
      'node_modules/@ai-sdk/openai/package.json',
      JSON.stringify({ name: '@ai-sdk/openai', version: '4.0.0', main: 'index.js' }),
    );
    own.write('node_modules/@ai-sdk/openai/index.js', '');
    const env = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY };
    const { exit, stdout } = own.run(['doctor', '--format', 'json'], { env });
    own.remove();
    const { findings } = JSON.parse(stdout) as { findings: { check: string }[] };
    const keys = findings.filter(({ check }) => /^key (?:openai|anthropic)$/.test(check));
    expect(exit).toBe(2);
    expect(keys).toEqual([
      {
        check: 'key anthropic',
        state: 'wrong',
        detail: 'ANTHROPIC_API_KEY set; @ai-sdk/anthropic not installed',
        next: 'npm install @ai-sdk/anthropic',
      },
      {
        check: 'key openai',
        state: 'ok',
        detail: 'OPENAI_API_KEY set; @ai-sdk/openai installed',
      },
    ]);
  });

  it('names the folder of the runs from a folder inside the project', () => {
    const own = newPlace();
    mkdirSync(join(own.folder, '.errand'));
    mkdirSync(join(own.folder, 'sub'));
    const { stdout } = own.run(['doctor'], { cwd: 'sub' });
    own.remove();
    expect(stdout).toMatch(/store +\.\.\/\.errand/);
    expect(stdout).not.toContain('ERRAND_HOME');
  });

  it('suggests what to do about a store that cannot be written', () => {
    place.write('a-file', '');
    const { exit, stdout } = place.run(['doctor'], { env: { ERRAND_HOME: 'a-file/home' } });
    expect(exit).toBe(2);
    expect(stdout).toContain('store: Make it writable, or set ERRAND_HOME to a folder that is.');
  });
});
