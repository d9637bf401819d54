/** The helpers of `helpers/`, each run for real by the script effect. */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { reportOf } from '../effect-port.cases.ts';
import { openScriptBench } from './script-effect.cases.ts';
import type { ScriptRequest } from './script-effect.ts';

const HELPERS = resolve(import.meta.dirname, '../../../helpers');
const bench = openScriptBench();
afterAll(() => bench.dispose());

interface Language {
  readonly name: string;
  /** Programs that must be installed to run it. */
  readonly needs: readonly string[];
  /** A script in this language that raises with these three values. */
  readonly raise: (
    kind: string,
    message: string,
    details: string | undefined,
  ) => Partial<ScriptRequest>;
}

/** Mono's compiler, which does not need .NET. */
const COMPILER = 'mcs';

const text = (value: string): string => JSON.stringify(value);

/** Characters that every language has to escape. */
const HARD = 'It\'s "half" \\ done\n\tat 7 % – größer 😀 $HOME `id` \u0001!';

const inBash = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`;

const LANGUAGES: readonly Language[] = [
  {
    name: 'bash',
    needs: ['bash'],
    raise: (kind, message, details) => ({
      command: 'bash',
      args: [
        '-euo',
        'pipefail',
        '-c',
        `. ${HELPERS}/errand-error.sh; errand_raise ${kind} ${inBash(message)} ${details === undefined ? '' : inBash(details)}; echo not reached`,
      ],
    }),
  },
  {
    name: 'Python',
    needs: ['python3'],
    raise: (kind, message, details) => ({
      command: 'python3',
      args: [
        '-c',
        `import json, sys; sys.path.insert(0, ${text(HELPERS)}); sys.dont_write_bytecode = True
from errand_error import raise_error
raise_error(${text(kind)}, json.load(sys.stdin), json.loads(${details === undefined ? '"null"' : text(details)}))`,
      ],
      stdin: text(message),
    }),
  },
  {
    name: 'Node',
    needs: [process.execPath],
    raise: (kind, message, details) => ({
      command: process.execPath,
      args: [
        '--input-type=module',
        '-e',
        `import { raiseError } from ${text(join(HELPERS, 'errand-error.mjs'))};
         raiseError(${text(kind)}, ${text(message)}, ${details ?? 'undefined'});`,
      ],
    }),
  },
  {
    name: 'C#',
    needs: [COMPILER, 'mono'],
    raise: (kind, message, details) => {
      const source = join(bench.folder, 'Main.cs');
      const argument =
        details === undefined
          ? 'null'
          : 'new System.Collections.Generic.Dictionary<string, object> { { "id", 7 }, { "list", new object[] { 1.5, null, true, "x" } } }';
      writeFileSync(
        source,
        `static class Program { static void Main() { ErrandError.Raise(${text(kind)}, ${text(message)}, ${argument}); } }`,
      );
      const program = join(bench.folder, 'main.exe');
      execFileSync(COMPILER, [
        '-warnaserror',
        `-out:${program}`,
        source,
        join(HELPERS, 'ErrandError.cs'),
      ]);
      return { command: 'mono', args: [program] };
    },
  },
  {
    name: 'PowerShell',
    needs: ['pwsh'],
    raise: (kind, message, details) => ({
      command: 'pwsh',
      args: [
        '-NoProfile',
        '-Command',
        `. ${HELPERS}/errand-error.ps1; $m = [Console]::In.ReadToEnd() | ConvertFrom-Json
         Exit-ErrandError -Kind '${kind}' -Message $m ${details === undefined ? '' : `-Details (ConvertFrom-Json '${details}')`}`,
      ],
      stdin: text(message),
    }),
  },
];

const isThere = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;

describe.each(LANGUAGES)('the helper for $name', ({ name, needs, raise }) => {
  const missing = needs.filter((program) => !isThere(program));
  if (missing.length > 0) {
    process.stderr.write(
      `\nSKIPPED: the helper for ${name} is not tested, because ${missing.join(' and ')} is missing\n\n`,
    );
  }
  const details = '{"id":7,"list":[1.5,null,true,"x"]}';

  it.skipIf(missing.length > 0)(
    'raises with kind, message and details, and exits with 1',
    { timeout: 300_000 },
    async () => {
      const result = await bench.run(raise('order.missing', HARD, details));
      expect(result).toMatchObject({
        ok: false,
        failure: { kind: 'order.missing', message: HARD.trim(), details: JSON.parse(details) },
      });
      expect(result.output).toMatchObject({ exit_code: 1, stdout: '' });
    },
  );

  it.skipIf(missing.length > 0)(
    'needs neither a message nor details',
    { timeout: 300_000 },
    async () => {
      const result = await bench.run(raise('order.missing', '', undefined));
      expect(reportOf(result)).toMatchObject({ kind: 'order.missing', message: 'order.missing' });
      expect(reportOf(result).details).toBeUndefined();
    },
  );

  it.skipIf(missing.length > 0)(
    'says it on stderr when Errand does not run it',
    { timeout: 300_000 },
    () => {
      const { command = '', args = [], stdin = '' } = raise('order.missing', 'gone', undefined);
      const { ERRAND_ERROR_OUT: _, CONDUCTOR_ERROR_OUT: __, ...env } = process.env;
      const { status, stderr } = spawnSync(command, args, {
        input: stdin,
        encoding: 'utf8',
        // the input is a socket here, and an outermost bash takes that for a login over the network
        env: { ...env, SHLVL: '1' },
      });
      expect(JSON.parse(stderr)).toEqual({ kind: 'order.missing', message: 'gone' });
      expect(status).toBe(1);
    },
  );
});

describe('helpers', () => {
  it('take Conductor’s name for the file where ours is not set', () => {
    const out = join(bench.folder, 'conductor.json');
    const { ERRAND_ERROR_OUT: _, ...env } = process.env;
    for (const language of LANGUAGES.filter(({ needs }) => needs.every(isThere))) {
      const { command = '', args = [], stdin = '' } = language.raise('a.b', 'm', undefined);
      spawnSync(command, args, { input: stdin, env: { ...env, CONDUCTOR_ERROR_OUT: out } });
      const written = execFileSync('cat', [out], { encoding: 'utf8' });
      expect(JSON.parse(written), language.name).toEqual({ kind: 'a.b', message: 'm' });
      execFileSync('rm', [out]);
    }
  });

  it('let the script continue and clean up', async () => {
    const result = await bench.bash(
      `. ${HELPERS}/errand-error.sh; errand_error a.b "$(printf 'x\\x7f')"; echo cleaned; exit 0`,
    );
    expect(result).toMatchObject({
      ok: false,
      failure: { kind: 'a.b', message: 'x\u007f' },
      output: { stdout: 'cleaned\n' },
    });
  });

  it('refuse a call without a kind', async () => {
    const result = await bench.bash(`. ${HELPERS}/errand-error.sh; errand_raise ""`);
    expect(reportOf(result)).toMatchObject({
      kind: 'internal.script_error',
      message: 'errand_error: a kind is needed',
      details: { exit_code: 2 },
    });
  });

  it('take as details of bash one JSON value, and anything else as text', () => {
    const JSON_VALUES = [
      '{}',
      '[]',
      ' \n{"a": [1, -0.5e+3, true, false, null, {"b": {}}], "": "\\u00e9\\n\\"\\\\"} ',
      '"just, {text}: \u007f größer"',
      '-7',
      'null',
    ];
    const TEXTS = [
      '{"a":1} , "kind":"c.d"',
      '1,"kind":"c.d"',
      '"x","kind":"c.d","y":"z"',
      '1}',
      '{"a":1}{}',
      '{"a":1]',
      '{"a" 1}',
      '{"a":1,}',
      '[1,]',
      '[,1]',
      '{1:1}',
      '{"a"}',
      '"\\x"',
      '"\\u00\\n41"',
      '"open',
      '"open\\"',
      '"a\nb"',
      '01',
      '.5',
      'NaN',
      '<html>not "JSON"</html>',
      '$(id) `id` *',
      ' ',
    ];
    const play = `. ${HELPERS}/errand-error.sh; for details; do errand_error a.b m "$details"; done`;
    const { ERRAND_ERROR_OUT: _, CONDUCTOR_ERROR_OUT: __, ...env } = process.env;
    const args = ['-euo', 'pipefail', '-c', play, 'bash', ...JSON_VALUES, ...TEXTS];
    const { stderr } = spawnSync('bash', args, { encoding: 'utf8', env: { ...env, SHLVL: '1' } });
    const written = stderr.replaceAll('\n{"kind"', '\u0000{"kind"').split('\u0000');
    expect(written.map((line) => JSON.parse(line) as unknown)).toEqual(
      [...JSON_VALUES.map((each) => JSON.parse(each) as unknown), ...TEXTS].map((details) => ({
        kind: 'a.b',
        message: 'm',
        details,
      })),
    );
  });

  it('take what nobody caught in a thread of Python', async () => {
    const python = `import sys, threading; sys.path.insert(0, ${text(HELPERS)}); sys.dont_write_bytecode = True
from errand_error import ErrandError, install
def work(): raise ErrandError("order.missing", "No order", {"id": 7})
install()
thread = threading.Thread(target=work); thread.start(); thread.join()`;
    const result = await bench.run({ command: 'python3', args: ['-c', python] });
    expect(reportOf(result)).toMatchObject({ kind: 'order.missing', details: { id: 7 } });
    expect(result.output).toMatchObject({
      exit_code: 0,
      stderr: expect.stringContaining('Traceback'),
    });
  });

  it('write values that JSON does not have as text', async () => {
    const python = `import sys; sys.path.insert(0, ${text(HELPERS)}); sys.dont_write_bytecode = True
from errand_error import raise_error
raise_error("a.b", "m", {"n": float("nan")})`;
    expect(reportOf(await bench.run({ command: 'python3', args: ['-c', python] })).details).toEqual(
      { value: "{'n': nan}" },
    );
    const node = `import { raiseError } from ${text(join(HELPERS, 'errand-error.mjs'))}; raiseError('a.b', 'm', 1n);`;
    const result = await bench.run({
      command: process.execPath,
      args: ['--input-type=module', '-e', node],
    });
    expect(reportOf(result).details).toEqual({ value: '1' });
  });

  it.each([
    ['nested too deeply', 'd = []\nfor _ in range(100000): d = [d]'],
    ['too long a number', 'd = {"n": 10 ** 5000}'],
    [
      'without words',
      'class Mute:\n  def __str__(self): raise OSError()\n  __repr__ = __str__\nd = Mute()',
    ],
  ])('keep the kind in Python whatever the details are: %s', async (_, made) => {
    const python = `import sys; sys.path.insert(0, ${text(HELPERS)}); sys.dont_write_bytecode = True
from errand_error import ErrandError, install
install()
${made}
raise ErrandError("order.missing", "No order", d)`;
    const report = reportOf(await bench.run({ command: 'python3', args: ['-c', python] }));
    expect(report).toMatchObject({ kind: 'order.missing', message: 'No order' });
    expect(report.details).toEqual({ value: expect.stringContaining('cannot be written') });
  });

  it.each([
    ['nested too deeply', 'let d = []; for (let n = 0; n < 1e5; n++) d = [d];'],
    ['without words', 'const d = Object.assign(Object.create(null), { id: 7n });'],
  ])('keep the kind in Node whatever the details are: %s', async (_, made) => {
    const node = `import { ErrandError, install } from ${text(join(HELPERS, 'errand-error.mjs'))};
install(); ${made} throw new ErrandError('order.missing', 'No order', d);`;
    const args = ['--input-type=module', '-e', node];
    const report = reportOf(await bench.run({ command: process.execPath, args }));
    expect(report).toMatchObject({ kind: 'order.missing', message: 'No order' });
    expect(report.details).toEqual({ value: expect.stringContaining('cannot be written') });
  });

  it.each([
    ['letters of either case are one', 'shopt -s nocasematch', { value: '{"x": TRUE}' }],
    ['no file is replaced', 'set -C; : >"$ERRAND_ERROR_OUT.part"', { value: '{"x": TRUE}' }],
  ])('keep the kind in bash where %s', async (_, before, details) => {
    const result = await bench.bash(
      `${before}; . ${HELPERS}/errand-error.sh; errand_raise order.missing "No order" '{"x": TRUE}'`,
    );
    expect(reportOf(result)).toMatchObject({ kind: 'order.missing', details });
  });
});
