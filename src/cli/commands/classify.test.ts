import { describe, expect, it } from 'vitest';
import { MAX_LINE_CHARS } from '../session/read-lines.ts';
import { runErrand } from '../run-errand.cases.ts';

const QUOTA = { provider: 'openai', status: 429, body: { error: { code: 'insufficient_quota' } } };
const LIMIT = {
  id: 'second',
  provider: 'openai',
  status: 429,
  headers: { 'retry-after': '2' },
  body: { error: { code: 'rate_limit_exceeded' } },
};

const lines = (text: string): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

describe('errand classify', () => {
  it('classifies one failure', () => {
    const { exit, stdout, stderr } = runErrand(['classify'], {
      stdin: JSON.stringify(LIMIT, null, 2),
    });
    expect([exit, stderr]).toEqual([0, '']);
    expect(Object.keys(JSON.parse(stdout) as object)).toEqual([
      'id',
      'kind',
      'category',
      'retryable',
      'retryAfterMs',
      'outcome',
      'rule',
      'confidence',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      id: 'second',
      kind: 'provider.rate_limited',
      category: 'transient',
      retryable: true,
      retryAfterMs: 2000,
    });
  });

  it('reads through a byte order mark', () => {
    const { stdout } = runErrand(['classify'], { stdin: `\ufeff${JSON.stringify(QUOTA)}` });
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'provider.quota_exhausted' });
  });

  it.each<[string, string, string, string]>([
    ['what is not JSON', '{"status": 429,', 'Standard input is not JSON', 'Give one JSON object'],
    [
      'one failure per line',
      `${JSON.stringify(QUOTA)}\n${JSON.stringify(LIMIT)}`,
      'Standard input is not JSON',
      'add --jsonl',
    ],
    [
      'what holds no failure',
      '{"weather": "fine"}',
      'The JSON describes no failure',
      'Give an object with some of',
    ],
    ['a list', '[1]', 'The JSON describes no failure', 'Give an object with some of'],
  ])('answers with a report and exit 2 to %s', (_, stdin, message, next) => {
    const { exit, stdout } = runErrand(['classify'], { stdin });
    expect(exit).toBe(2);
    expect(lines(stdout)).toEqual([
      {
        error: expect.objectContaining({
          kind: 'validation.input',
          message: expect.stringContaining(message) as string,
          action: { kind: 'change_input', detail: expect.stringContaining(next) as string },
        }) as unknown,
      },
    ]);
    expect(stdout).not.toContain(process.cwd());
  });

  it.each([[['classify']], [['classify', '--jsonl']]])('refuses to read nothing: %j', (args) => {
    for (const stdin of ['', ' \n\n', '\ufeff']) {
      const { exit, stdout, stderr } = runErrand(args, { stdin });
      expect([exit, stdout]).toEqual([2, '']);
      expect(stderr).toContain('No failure could be read from standard input');
      expect(stderr).toMatch(/kind +validation\.input/);
      expect(stderr).toMatch(/next +Give one failure/);
    }
  });
});

describe('errand classify --jsonl', () => {
  const classify = (stdin: string): ReturnType<typeof runErrand> =>
    runErrand(['classify', '--jsonl'], { stdin });

  it('reports a bad line on its own line and reads on', () => {
    const secret = 'sk-proj-abcdefghijklmnopqrstuvwx';
    const stdin = [
      JSON.stringify(QUOTA),
      `{"key": ${secret}`,
      '',
      '"text"',
      JSON.stringify(LIMIT),
    ].join('\n');
    const { exit, stdout, stderr } = classify(stdin);
    expect([exit, stderr]).toEqual([0, '']);
    expect(lines(stdout)).toEqual([
      expect.objectContaining({ kind: 'provider.quota_exhausted' }),
      { line: 2, error: expect.objectContaining({ message: 'The line is not JSON' }) as unknown },
      { line: 4, error: expect.objectContaining({ kind: 'validation.input' }) as unknown },
      expect.objectContaining({ id: 'second', kind: 'provider.rate_limited' }),
    ]);
    expect(stdout).toContain('Put one whole JSON object on each line');
    expect(stdout).not.toContain(secret);
  });

  it('reads lines that end in CR LF, after a byte order mark, and a last line without an end', () => {
    const { exit, stdout } = classify(
      `\ufeff${JSON.stringify(QUOTA)}\r\n\r\n${JSON.stringify(LIMIT)}`,
    );
    expect(exit).toBe(0);
    expect(lines(stdout)).toHaveLength(2);
  });

  it('reads a line of megabytes', () => {
    const long = {
      ...QUOTA,
      body: { error: { code: 'insufficient_quota', message: 'x'.repeat(8_000_000) } },
    };
    const { exit, stdout } = classify(`${JSON.stringify(long)}\n${JSON.stringify(LIMIT)}\n`);
    expect(exit).toBe(0);
    expect(lines(stdout)).toMatchObject([{ kind: 'provider.quota_exhausted' }, { id: 'second' }]);
  });

  it('skips a line that is too long', () => {
    const { exit, stdout } = classify(
      `"${'x'.repeat(MAX_LINE_CHARS)}"\n${JSON.stringify(LIMIT)}\n`,
    );
    expect(exit).toBe(0);
    expect(lines(stdout)).toMatchObject([
      { line: 1, error: { message: 'The line is too long to read' } },
      { id: 'second' },
    ]);
  });

  it('keeps characters whole that arrive in two chunks', () => {
    const entries = Array.from({ length: 4000 }, (_, id) =>
      JSON.stringify({ ...QUOTA, id: `${id} 値🚫` }),
    );
    const { stdout } = classify(entries.join('\n'));
    expect(lines(stdout).map((line) => (line as { id: string }).id)).toEqual(
      entries.map((_, id) => `${id} 値🚫`),
    );
  });

  it('exits with 2 when no line could be read, after an error for each', () => {
    const { exit, stdout, stderr } = classify('nope\nnope\n');
    expect(exit).toBe(2);
    expect(lines(stdout)).toMatchObject([{ line: 1 }, { line: 2 }]);
    expect(stderr).toContain('No failure could be read');
  });
});
