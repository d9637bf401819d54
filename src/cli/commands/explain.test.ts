import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { CATALOG, RUNTIME_KINDS } from '../../errors/catalog/catalog.ts';
import { anyErrandSync } from '../../../test/cli/shared/command.ts';
import { LAUNCHER } from '../run-errand.cases.ts';

const KIND = 'provider.rate_limited';

describe('errand explain KIND', () => {
  it('prints what it means, what Errand does, and last what to do', () => {
    const { exit, stdout, stderr } = anyErrandSync(['explain', KIND]);
    expect([exit, stderr]).toEqual([0, '']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toBe(`${CATALOG[KIND].title}  ${KIND}`);
    expect(stdout).toContain('6 calls in all');
    expect(lines.at(-2)).toMatch(/^next {8}/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('prints its catalog row as JSON', () => {
    const { exit, stdout } = anyErrandSync(['explain', KIND, '--format', 'json']);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ kind: KIND, retryable: true, ...CATALOG[KIND] });
  });

  it('prints Markdown', () => {
    const { exit, stdout } = anyErrandSync(['explain', KIND, '--format', 'markdown']);
    expect(exit).toBe(0);
    expect(stdout).toContain(`### ${KIND}\n\n**${CATALOG[KIND].title}.** `);
  });

  it('finds a kind by its name in another system', () => {
    const { exit, stdout } = anyErrandSync(['explain', 'BudgetExceededError']);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^Errand calls BudgetExceededError limit\.budget\.\n\n/);
  });

  it('shows all kinds that a name of another system can mean', () => {
    const { stdout } = anyErrandSync(['explain', 'ValueError', '--format', 'json']);
    const kinds = (JSON.parse(stdout) as { kind: string }[]).map(({ kind }) => kind);
    expect(kinds).toEqual(['route.guard_failed', 'route.no_match']);
  });
});

describe('errand explain RUN', () => {
  it('takes the id of a run for nothing else, whatever words are in it by chance', () => {
    for (const run of ['sj9d61dny8key6gjs8dgetjf', 'c82z14bad87wsx18npkg9n3t']) {
      const { exit, stdout } = anyErrandSync(['explain', run, '--format', 'json']);
      expect([exit, JSON.parse(stdout)]).toMatchObject([2, { error: { kind: 'run.not_found' } }]);
    }
  });
});

describe('errand explain --list', () => {
  it('has a line for each kind', () => {
    const { exit, stdout } = anyErrandSync(['explain', '--list']);
    expect(exit).toBe(0);
    const names = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    expect(names).toEqual(RUNTIME_KINDS);
  });

  it('has all rows as JSON', () => {
    const { stdout } = anyErrandSync(['explain', '--list', '--format', 'json']);
    const rows = JSON.parse(stdout) as { kind: string; help: string }[];
    expect(rows.map(({ kind }) => kind)).toEqual(RUNTIME_KINDS);
    expect(rows.map(({ help }) => help)).toEqual(RUNTIME_KINDS.map((kind) => CATALOG[kind].help));
  });

  it('ends quietly when its reader goes away', async () => {
    const child = spawn(process.execPath, [LAUNCHER, 'explain', '--list', '--format', 'json']);
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdout.destroy();
    const [exit] = (await once(child, 'close')) as [number | null];
    expect([exit, stderr]).toEqual([0, '']);
  });
});

describe('a word from a log', () => {
  it.each([
    ['insufficient_quota', 'provider.quota_exhausted', 'The code insufficient_quota'],
    ['rate_limit_error', 'provider.rate_limited', 'The code rate_limit_error'],
    ['context_length_exceeded', 'provider.context_length', 'The code context_length_exceeded'],
    ['invalid_api_key', 'provider.auth', 'The code invalid_api_key'],
    ['overloaded_error', 'provider.overloaded', 'The code overloaded_error'],
    ['RESOURCE_EXHAUSTED', 'provider.rate_limited', 'The code RESOURCE_EXHAUSTED'],
    ['max_tokens', 'provider.truncated', 'The code max_tokens'],
    ['ECONNRESET', 'provider.network', 'The code ECONNRESET'],
    ['UND_ERR_HEADERS_TIMEOUT', 'provider.timeout', 'The code UND_ERR_HEADERS_TIMEOUT'],
    ['429', 'provider.rate_limited', 'The HTTP status 429'],
    ['HTTP 502', 'provider.server_error', 'The HTTP status HTTP 502'],
    ['AI_NoSuchToolError', 'tool.not_found', 'The error AI_NoSuchToolError'],
    ['APIConnectionTimeoutError', 'provider.timeout', 'The error APIConnectionTimeoutError'],
    ['ThrottlingException', 'provider.rate_limited', 'The error ThrottlingException'],
  ])('%s is explained by the rule that knows it', (word, kind, begin) => {
    const { exit, stdout } = anyErrandSync(['explain', word]);
    expect(exit).toBe(0);
    expect(stdout.replace(/\s+/g, ' ')).toContain(`${begin} alone means ${kind} (rule `);
    const { stdout: json } = anyErrandSync(['explain', word, '--format', 'json']);
    expect(JSON.parse(json)).toMatchObject({ kind });
  });
});

describe('what cannot be done', () => {
  it.each<[string, string[], string[]]>([
    [
      'an unknown kind',
      ['explain', 'provider.rate_limit'],
      ['no kind called provider.rate_limit', 'Did you mean provider.rate_limited?'],
    ],
    [
      'a kind without its prefix',
      ['explain', 'rate_limited'],
      ['Did you mean provider.rate_limited?'],
    ],
    [
      'a misspelled name of another system',
      ['explain', 'BudgetExceededEror'],
      ['Did you mean BudgetExceededError?'],
    ],
    [
      'a kind that only a workflow raises',
      ['explain', 'external.git.drift'],
      ['A workflow may raise this kind itself'],
    ],
    [
      'such a kind whose words a provider uses too',
      ['explain', 'external.order.missing'],
      ['no kind called external.order.missing', 'A workflow may raise this kind itself'],
    ],
    [
      'such a kind with the words of a rule',
      ['explain', 'db.timeout'],
      ['no kind called db.timeout'],
    ],
    [
      'neither a kind nor a run',
      ['explain', 'nosuchrun00'],
      ['There is no kind and no run called nosuchrun00', 'all runs: errand runs'],
    ],
    [
      'a word that no kind resembles',
      ['explain', 'nightly'],
      ['There is no kind and no run called nightly', 'all runs: errand runs'],
    ],
    ['no kind at all', ['explain'], ['Name a kind', 'errand explain --list']],
    ['an empty name', ['explain', ''], ['Name a kind', 'errand explain --list']],
    ['a kind and a list', ['explain', KIND, '--list'], ['not both']],
    ['an unknown command', ['explian'], ["unknown command 'explian'", 'Did you mean explain?']],
    [
      'an unknown option',
      ['explain', KIND, '--formt', 'json'],
      ["unknown option '--formt'", 'Did you mean --format?'],
    ],
    [
      'an unknown format',
      ['explain', KIND, '--format', 'yaml'],
      ['Allowed choices are text, json, markdown'],
    ],
    ['too many arguments', ['explain', KIND, 'more'], ['too many arguments']],
  ])('is reported on stderr with exit 2, and nothing on stdout: %s', (_, args, expected) => {
    const { exit, stdout, stderr } = anyErrandSync(args);
    expect([exit, stdout]).toEqual([2, '']);
    // the words of a panel, whose lines are broken anywhere
    const said = stderr.replaceAll(/ *│?\n│? */g, ' ');
    expect(said).toMatch(/^errand: |kind +validation\.input/);
    for (const words of expected) expect(said).toContain(words);
    expectNothingInternal(stderr);
  });

  it('is a report on stdout where JSON was asked for', () => {
    const { exit, stdout, stderr } = anyErrandSync(['explain', 'nope', '--format', 'json']);
    expect([exit, stderr]).toEqual([2, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { kind: 'validation.input', message: 'There is no kind and no run called nope' },
    });
    expectNothingInternal(stdout);
  });

  it('cannot repaint the screen with what was typed', () => {
    const { stderr } = anyErrandSync(['explain', '\u001b[2Jevil\u0007']);
    expect(stderr).toContain('no kind and no run called evil');
    expect(stderr).not.toMatch(/[\u0007\u001b]/);
  });
});

describe('colour', () => {
  it.each<[string, Record<string, string>, boolean]>([
    ['into a pipe', {}, false],
    ['when forced', { FORCE_COLOR: '1' }, true],
    ['when forced off', { FORCE_COLOR: '0' }, false],
    ['when forced and refused', { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
    ['when the refusal is empty', { FORCE_COLOR: '1', NO_COLOR: '' }, true],
  ])('%s', (_, env, isColored) => {
    const { stdout } = anyErrandSync(['explain', KIND], { env });
    expect(stdout.includes('\u001b[1m')).toBe(isColored);
    expect(stdout.replace(/\u001b\[\d+m/g, '')).toBe(anyErrandSync(['explain', KIND]).stdout);
  });
});

describe('help', () => {
  it('names every command and goes to stdout when asked for', () => {
    const { exit, stdout, stderr } = anyErrandSync(['--help']);
    expect([exit, stderr]).toEqual([0, '']);
    for (const command of ['explain', 'classify']) expect(stdout).toContain(`\n  ${command} `);
  });

  it('goes to stderr, with exit 2, when nothing was asked for', () => {
    const { exit, stdout, stderr } = anyErrandSync([]);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Usage: errand');
  });

  it('prints the version', () => {
    expect(anyErrandSync(['--version']).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

function expectNothingInternal(text: string): void {
  expect(text).not.toMatch(/\n\s+at |node:|\.ts:|\.js:/);
  expect(text).not.toContain(process.cwd());
}
