import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { failureOf, reportOf, SECRET } from '../effect-port.cases.ts';
import { openScriptBench } from './script-effect.cases.ts';
import { whyUnspawnable } from './spawn-error.ts';
import { runs } from '../../../test/runs.ts';
import { anyCharacter } from '../../../test/any-character.ts';

const bench = openScriptBench();
const { bash, run, folder } = bench;
afterEach(() => expect(bench.leftBehind(), 'error files left behind').toEqual([]));
afterAll(() => bench.dispose());

const SHAPE = {
  type: 'object',
  properties: { id: { type: 'string' } },
  required: ['id'],
} as const;

describe('an answer', () => {
  it('is stdout, stderr and the exit code', async () => {
    const result = await bash('echo out; echo err >&2');
    expect(result).toEqual({
      ok: true,
      output: { stdout: 'out\n', stderr: 'err\n', exit_code: 0 },
    });
  });

  it('cannot overwrite what Errand knows about its end', async () => {
    const lie = {
      exit_code: 0,
      stdout: 'all tests passed',
      stderr: '',
      stdout_cut_bytes: 7,
      stdout_not_utf8: true,
      stderr_cut_bytes: 7,
      passed: 12,
    };
    const json = JSON.stringify(lie);
    const result = await bash(`printf '%s' '${json}'; echo broken >&2; exit 7`, {
      exitCodes: 'any',
    });
    expect(result).toMatchObject({
      ok: true,
      output: { exit_code: 7, stdout: json, stderr: 'broken\n', passed: 12 },
      suppressed: [
        {
          failure: {
            kind: 'internal.schema_violation',
            details: { names: expect.arrayContaining(['exit_code', 'stdout', 'stderr']) },
          },
        },
      ],
    });
    expect(Object.keys(result.output as object).sort()).toEqual([
      'exit_code',
      'passed',
      'stderr',
      'stdout',
    ]);
  });

  it('has the keys of a JSON object on stdout too', async () => {
    const result = await bash(`echo '{"id": "7", "deep": {"n": [1, null]}}'`);
    expect(result).toMatchObject({
      ok: true,
      output: { id: '7', deep: { n: [1, null] }, exit_code: 0 },
    });
  });

  it('may have a non-zero exit code, if the file allows it', async () => {
    expect(await bash('exit 3', { exitCodes: [0, 3] })).toMatchObject({
      ok: true,
      output: { exit_code: 3 },
    });
    expect(await bash('exit 4', { exitCodes: 'any' })).toMatchObject({
      ok: true,
      output: { exit_code: 4 },
    });
  });

  it('is not put through a shell', async () => {
    const result = await run({ command: 'printf', args: ['%s|', '$HOME; echo x', '*'] });
    expect(result).toMatchObject({ ok: true, output: { stdout: '$HOME; echo x|*|' } });
  });

  it('runs in its directory and reads its stdin', async () => {
    const result = await bash('pwd; cat', { cwd: folder, stdin: 'given → in\n' });
    expect(result).toMatchObject({ ok: true, output: { stdout: `${folder}\ngiven → in\n` } });
  });

  it('has an empty stdin by default', async () => {
    expect(await bash('cat; echo done')).toMatchObject({ ok: true, output: { stdout: 'done\n' } });
  });
});

describe('the environment', () => {
  it('is that of the run, the node’s own over it, the engine’s last', async () => {
    const result = await bash(
      'echo "$INHERITED|$REGION|$ERRAND_ATTEMPT|$ERRAND_RUN|$ERRAND_NODE|$ERRAND_IDEMPOTENCY_KEY"',
      { env: { REGION: 'eu', ERRAND_RUN: 'forged', ERRAND_ERROR_OUT: '/dev/null' } },
      { attempt: 2 },
    );
    expect(result).toMatchObject({ ok: true, output: { stdout: 'yes|eu|2|run-1|node-1|key-1\n' } });
  });

  it('has no variable with a configured secret, unless the node sets it', async () => {
    const ask = 'test "$PROVIDER_KEY" = "$EXPECTED" && echo same';
    expect(await bash(ask)).toMatchObject({ output: { stdout: 'same\n' } });
    expect(await bash(ask, { env: { PROVIDER_KEY: SECRET, EXPECTED: SECRET } })).toMatchObject({
      output: { stdout: 'same\n' },
    });
  });

  it('points both names at one file that does not exist yet, in a private folder', async () => {
    const result = await bash(
      `test "$ERRAND_ERROR_OUT" = "$CONDUCTOR_ERROR_OUT" && test ! -e "$ERRAND_ERROR_OUT" &&
       stat -c %a "$(dirname "$ERRAND_ERROR_OUT")"`,
    );
    expect(result).toMatchObject({ ok: true, output: { stdout: '700\n' } });
  });
});

describe('secrets', () => {
  it('are removed from stdout by value, and from stderr by pattern too', async () => {
    const key = 'sk-abcdefghijklmnopqrstuvwxyz123456';
    const result = await bash(`echo "${SECRET} ${key}" | tee /dev/stderr; exit 1`);
    const output = { stdout: `[redacted] ${key}\n`, stderr: '[redacted] [redacted]\n' };
    expect(result).toMatchObject({ ok: false, output });
    expect(JSON.stringify(reportOf(result))).not.toMatch(/hunter2|sk-abc/);
  });

  it('are removed from the keys and values of the object', async () => {
    const result = await bash(`echo '{"a": ["x ${SECRET}"], "${SECRET}": 1}'`);
    expect(result).toMatchObject({ ok: true, output: { a: ['x [redacted]'], '[redacted]': 1 } });
  });
});

describe('a failing exit', () => {
  it('is internal.script_error with the last line of stderr', async () => {
    const result = await bash(
      String.raw`echo partial; printf 'first\n\e[31mit broke\e[0m  \n\n' >&2; exit 7`,
    );
    expect(reportOf(result)).toMatchObject({
      kind: 'internal.script_error',
      message: 'it broke',
      outcome: 'failed',
      retryable: null,
      details: { exit_code: 7, signal: null, command: 'bash' },
    });
    expect(result).toMatchObject({ output: { stdout: 'partial\n', exit_code: 7 } });
  });

  it('is a sentence where stderr is empty', async () => {
    expect(reportOf(await bash('exit 9')).message).toBe('The script ended with exit code 9');
  });

  it('keeps the last 2,000 characters of stderr in the report', async () => {
    const result = await bash(`head -c 5000 /dev/zero | tr '\\0' x >&2; printf END >&2; exit 1`);
    const tail = reportOf(result).details?.['stderr_tail'];
    expect(tail).toHaveLength(2000);
    expect(tail).toMatch(/^x+END$/);
  });

  it('names the signal that killed it', async () => {
    const result = await bash('kill -SEGV $$', { exitCodes: 'any' });
    expect(reportOf(result)).toMatchObject({
      kind: 'internal.script_error',
      message: 'The script was killed by SIGSEGV',
      details: { exit_code: null, signal: 'SIGSEGV' },
    });
  });
});

describe('what cannot be started', () => {
  const cases: readonly [string, () => Parameters<typeof run>[0], RegExp, string][] = [
    [
      'a missing command',
      () => ({ command: 'errand-no-such-command' }),
      /was not found/,
      'command',
    ],
    ['a missing path', () => ({ command: './nope.sh', cwd: folder }), /was not found/, 'command'],
    ['an empty command', () => ({ command: '' }), /zero byte|empty/, 'command'],
    [
      'a missing directory',
      () => ({ cwd: join(folder, 'nope') }),
      /working directory does not exist/,
      'working_dir',
    ],
    [
      'a file as directory',
      () => ({ cwd: file('plain', 'x') }),
      /working directory does not exist/,
      'working_dir',
    ],
    [
      'a file without the right',
      () => ({ command: file('plain', 'x') }),
      /is not executable/,
      'command',
    ],
    [
      'a missing interpreter',
      () => ({ command: file('odd', '#!/no/such\n', 0o755) }),
      /first line/,
      'command',
    ],
    ['a zero byte in an argument', () => ({ args: ['a\0b'] }), /zero byte/, 'args'],
    ['a zero byte in a variable', () => ({ env: { A: 'a\0b' } }), /zero byte/, 'env'],
    ['arguments without end', () => ({ args: ['x'.repeat(4_000_000)] }), /too large/, 'args'],
  ];
  it.each(cases)('%s', async (_, request, message, field) => {
    const result = await run(request());
    expect(reportOf(result)).toMatchObject({
      kind: 'internal.script_unspawnable',
      outcome: 'not_started',
      message: expect.stringMatching(message),
      details: { field },
    });
    expect(failureOf(result).output).toBeUndefined();
  });

  it('a missing folder for the error file', async () => {
    const { createScriptEffect } = await import('./script-effect.ts');
    const effect = createScriptEffect({ env: {}, tempDir: join(folder, 'nowhere') });
    const { contextFor } = await import('../effect-port.cases.ts');
    const request = { command: 'true', args: [], env: {}, exitCodes: [0] };
    const result = await effect(request, contextFor());
    expect(reportOf(result)).toMatchObject({
      kind: 'internal.script_unspawnable',
      action: { kind: 'fix_setup', detail: expect.stringContaining('TMPDIR') },
    });
  });

  it.each([
    ['EMFILE', 'ulimit -n'],
    ['EAGAIN', 'ulimit -u'],
    ['ENOENT', 'Install the command'],
  ])('names what helps against %s', (code, remedy) => {
    const thrown = Object.assign(new Error('spawn'), { code });
    const request = { command: 'no-such-command', args: [], env: {}, exitCodes: [0] };
    expect(reportOf(whyUnspawnable(thrown, request, {}))).toMatchObject({
      kind: 'internal.script_unspawnable',
      action: { kind: 'fix_setup', detail: expect.stringContaining(remedy) },
    });
  });

  function file(name: string, text: string, mode = 0o644): string {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }
});

describe('a declared output', () => {
  it('is a JSON object of that shape, with whitespace around it', async () => {
    const result = await bash(`printf '\\n {"id": "7"}\\n\\n'`, { outputSchema: SHAPE });
    expect(result).toMatchObject({ ok: true, output: { id: '7' } });
  });

  const off: readonly [string, RegExp][] = [
    ['echo log; echo \'{"id": "7"}\'', /one JSON object: it is not JSON/],
    ['true', /it is empty/],
    ["echo '[1]'", /JSON, but not an object/],
    [`echo '{"id": 7}'`, /declared shape: \/id must be a string/],
    [`echo '{"ID": "7"}'`, /it must have the property "id"/],
    ['head -c 11000000 /dev/zero', /too long to be parsed/],
  ];
  it.each(off)('is internal.schema_violation for: %s', async (text, message) => {
    const result = await bash(text, { outputSchema: SHAPE, keepsTruncated: true });
    expect(reportOf(result)).toMatchObject({
      kind: 'internal.schema_violation',
      message: expect.stringMatching(message),
    });
    expect(result).toMatchObject({ ok: false, output: { exit_code: 0 } });
  });

  it('is refused where it is not UTF-8, because its values would be others', async () => {
    const result = await bash(`printf '{"id": "caf\\xe9"}'`, { outputSchema: SHAPE });
    expect(reportOf(result)).toMatchObject({
      kind: 'internal.schema_violation',
      message: 'The stdout of the script must be one JSON object: it is not text in UTF-8',
    });
  });

  it('is not checked after a failing exit', async () => {
    expect(reportOf(await bash('exit 1', { outputSchema: SHAPE })).kind).toBe(
      'internal.script_error',
    );
  });
});

describe('output', () => {
  it('beyond its bound is a failure, with what was kept', async () => {
    const result = await bash('head -c 11000000 /dev/zero | tr "\\0" a');
    expect(reportOf(result)).toMatchObject({
      kind: 'internal.output_too_large',
      retryable: false,
      outcome: 'failed',
      details: { exit_code: 0, stdout_cut_bytes: 11_000_000 - 10 * 1024 * 1024 },
    });
    expect(result.output).toMatchObject({ stdout: 'a'.repeat(10 * 1024 * 1024), exit_code: 0 });
  });

  it('of a failing exit does not change its kind, and a long stderr is not a failure', async () => {
    const failed = await bash('head -c 11000000 /dev/zero; exit 3');
    expect(reportOf(failed).kind).toBe('internal.script_error');
    const longStderr = await bash('head -c 3000000 /dev/zero >&2; echo done');
    expect(longStderr).toMatchObject({
      ok: true,
      output: { stderr_cut_bytes: 3_000_000 - 1024 * 1024 },
    });
  });

  it('that may be cut has a limit, and says how much was cut', async () => {
    const result = await bash(
      'head -c 100000000 /dev/zero | tr "\\0" a; head -c 3000000 /dev/zero | tr "\\0" b >&2; printf END >&2',
      { keepsTruncated: true },
    );
    const { stdout, stderr, ...rest } = (result as { output: Record<string, string> }).output;
    expect(result.ok).toBe(true);
    expect(stdout).toHaveLength(10 * 1024 * 1024);
    expect(stderr).toHaveLength(1024 * 1024);
    expect(stderr).toMatch(/bEND$/);
    expect(rest).toEqual({
      exit_code: 0,
      stdout_cut_bytes: 100_000_000 - 10 * 1024 * 1024,
      stderr_cut_bytes: 3_000_003 - 1024 * 1024,
    });
  });

  it('may be anything, and says when it was not text', async () => {
    const result = await bash(String.raw`printf '\xff\x00\xfe ok'`);
    expect(result).toMatchObject({
      ok: true,
      output: { stdout: '\uFFFD\0\uFFFD ok', stdout_not_utf8: true },
    });
  });

  it('that is nested too deeply is text, not an object', async () => {
    const depth = 100_000;
    const result = await bash('cat', { stdin: `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}` });
    expect(Object.keys((result as { output: object }).output)).toEqual([
      'stdout',
      'stderr',
      'exit_code',
    ]);
    const checked = await bash('cat', {
      stdin: `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`,
      outputSchema: SHAPE,
    });
    expect(reportOf(checked).message).toMatch(/deeper than 500 levels/);
  });

  describe('with a number that would lose digits', () => {
    const print = `echo '{"ok": true, "order": {"ids": [7, 9007199254740993]}}'`;
    const inexact = {
      kind: 'internal.schema_violation',
      message:
        'The stdout of the script has the number 9007199254740993 at /order/ids/1, which is too large to be exact',
      details: { pointer: '/order/ids/1', written: '9007199254740993' },
      action: { kind: 'fix_code', detail: expect.stringContaining('in quotes') },
    };

    it('is a failure where an output is declared', async () => {
      const result = await bash(print, { outputSchema: { type: 'object' } });
      expect(reportOf(result)).toMatchObject({
        ...inexact,
        details: { ...inexact.details, exit_code: 0 },
      });
    });

    it('otherwise stays text, with a warning', async () => {
      expect(await bash(print)).toEqual({
        ok: true,
        output: { stdout: expect.stringContaining('9007199254740993'), stderr: '', exit_code: 0 },
        suppressed: [{ failure: expect.objectContaining(inexact), reason: expect.any(String) }],
      });
    });

    it('is treated like one that has a key twice', async () => {
      const twice = `echo '{"order": {"id": 1, "id": 2}}'`;
      const message = 'The stdout of the script has the key "id" twice (/order/id)';
      const checked = await bash(twice, { outputSchema: { type: 'object' } });
      expect(reportOf(checked)).toMatchObject({ kind: 'internal.schema_violation', message });
      const { output, suppressed } = await bash(twice);
      expect(output).not.toHaveProperty('order');
      expect(suppressed).toMatchObject([{ failure: { message } }]);
    });

    it('is no failure where the digits are kept', async () => {
      const result = await bash(
        `echo '{"a": 1763304000000000000, "b": 9.5e300, "c": "12345678901234567890"}'`,
      );
      expect(result).toMatchObject({
        ok: true,
        output: { a: 1_763_304_000_000_000_000, b: 9.5e300 },
      });
      expect(result).not.toHaveProperty('suppressed');
    });
  });

  it('of any bytes is an output or a typed failure', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string(), fc.json(), fc.string({ unit: anyCharacter })),
        fc.boolean(),
        async (text, isChecked) => {
          const result = await run({
            command: 'cat',
            stdin: text,
            ...(isChecked ? { outputSchema: SHAPE } : {}),
          });
          if (!result.ok) expect(result.failure.kind).toBe('internal.schema_violation');
          expect(result.output).toMatchObject({ stdout: text.toWellFormed() });
          expect(() => JSON.stringify(result)).not.toThrow();
        },
      ),
      { numRuns: runs(30) },
    );
  });
});

describe('stdin', () => {
  const large = 'x'.repeat(20_000_000);

  it('may be large', async () => {
    expect(await bash('wc -c', { stdin: large })).toMatchObject({
      output: { stdout: '20000000\n' },
    });
  });

  it('need not be read, and may be closed at any time', async () => {
    expect(await bash('echo quick', { stdin: large })).toMatchObject({
      ok: true,
      output: { stdout: 'quick\n' },
    });
    expect(await bash('head -c 5; exec 0<&-; echo; echo on', { stdin: large })).toMatchObject({
      ok: true,
      output: { stdout: 'xxxxx\non\n' },
    });
  });

  it('can be opened by name, as can the outputs', async () => {
    const result = await bash(
      'cat /dev/stdin > /dev/stderr; echo out > /dev/stdout; echo more > /dev/stderr',
      { stdin: 'in\n' },
    );
    expect(result).toMatchObject({ ok: true, output: { stdout: 'out\n', stderr: 'in\nmore\n' } });
  });

  it('closed stdout is an empty output', async () => {
    expect(await bash('exec 1>&- 2>&-; true')).toMatchObject({ ok: true, output: { stdout: '' } });
  });
});

it('cleans up even when the script removes permissions', async () => {
  const result = await bash(
    'd=$(dirname "$ERRAND_ERROR_OUT"); mkdir "$d/sub"; chmod 000 "$d/sub" "$d"; echo "$d"',
  );
  const directory = String((result as { output: Record<string, unknown> }).output['stdout']).trim();
  expect(existsSync(directory)).toBe(false);
  expect(result).toMatchObject({ ok: true });
});
