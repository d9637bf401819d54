/**
 * One table of cases for the helpers of all languages (`helpers/cases.json`), and what each language offers beside:
 * a failure that is thrown, and what Errand says of this try. A sixth language is a row here.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const HELPERS = resolve(import.meta.dirname, '../../../helpers');

interface Case {
  readonly name: string;
  readonly kind: string;
  readonly message?: string;
  readonly details?: unknown;
  readonly written: object;
}

const CASES = JSON.parse(readFileSync(join(HELPERS, 'cases.json'), 'utf8')) as readonly Case[];

interface Language {
  readonly name: string;
  readonly needs: readonly string[];
  /** The program that plays cases: `WAY KIND MESSAGE DETAILS`, where WAY is write, facts, or one of `throws`. */
  readonly program: (folder: string) => readonly [string, ...string[]];
  /** How a failure is thrown, where that is the idiom. */
  readonly throws: readonly ('throw' | 'wrapped' | 'grouped')[];
}

const text = (value: string): string => JSON.stringify(value);

const PYTHON = `
import json, os, sys
sys.path.insert(0, ${text(HELPERS)}); sys.dont_write_bytecode = True
import errand_error as errand
way, kind, message, details = sys.argv[1:5]
details = json.loads(details)
errand.install()
if way == "facts":
    print(errand.attempt(), errand.run_id(), errand.idempotency_key(), errand.trace_parent())
elif way == "write":
    errand.write_error(kind, message, details)
else:
    try:
        try:
            raise errand.ErrandError(kind, message, details)
        except errand.ErrandError as error:
            # groups are of Python 3.11
            if way == "throw" or way == "grouped" and sys.version_info < (3, 11): raise
            if way == "wrapped": raise RuntimeError("around it") from error
            raise ExceptionGroup("a task", [ValueError(), ExceptionGroup("of it", [error])])
    finally:
        print("cleaned")
`;

const NODE = `
import * as errand from ${text(join(HELPERS, 'errand-error.mjs'))};
const [way, kind, message, details] = process.argv.slice(2);
errand.install();
const values = [kind, message, JSON.parse(details) ?? undefined];
if (way === 'facts') console.log(errand.attempt(), errand.runId(), errand.idempotencyKey(), errand.traceParent());
else if (way === 'write') errand.writeError(...values);
else
  try {
    const error = new errand.ErrandError(...values);
    if (way === 'grouped') throw new AggregateError([new Error('x'), new AggregateError([error])]);
    throw way === 'throw' ? error : new Error('around it', { cause: error });
  } finally {
    console.log('cleaned');
  }
`;

const BASH = `
. ${HELPERS}/errand-error.sh
case $1 in
  facts) echo "$(errand_attempt) $(errand_run_id) $(errand_idempotency_key) $(errand_trace_parent)" ;;
  *) if [ "$4" = null ]; then errand_error "$2" "$3"; else errand_error "$2" "$3" "$4"; fi ;;
esac
`;

/** Details of the table are read from JSON where a language has a reader for it; C# has none without a package. */
const CSHARP = `
using System;
using System.Collections.Generic;
static class Program {
  static object Details(string json) {
    if (json == "null") return null;
    if (json.Contains("id")) return new Dictionary<string, object> { { "id", 7 } };
    return new Dictionary<string, object> {
      { "list", new object[] { 1.5, null, true, "x" } },
      { "deep", new Dictionary<string, object> { { "er", new object[0] } } } };
  }
  static int Main(string[] args) {
    if (args[0] == "facts") {
      Console.WriteLine(ErrandError.Attempt + " " + ErrandError.RunId + " " + ErrandError.IdempotencyKey + " " + ErrandError.TraceParent);
      return 0;
    }
    if (args[0] == "write") { ErrandError.Write(args[1], args[2], Details(args[3])); return 0; }
    return ErrandError.Run(() => {
      try {
        var error = new ErrandException(args[1], args[2], Details(args[3]));
        if (args[0] == "throw") throw error;
        throw new InvalidOperationException("around it", error);
      } finally { Console.WriteLine("cleaned"); }
    });
  }
}
`;

const POWERSHELL = `
param($way, $kind, $message, $details)
Import-Module ${HELPERS}/errand-error.psm1
$values = @{ Kind = $kind; Message = $message; Details = (ConvertFrom-Json $details) }
if ($way -eq 'facts') { "$(Get-ErrandAttempt) $(Get-ErrandRun) $(Get-ErrandIdempotencyKey) $(Get-ErrandTraceParent)"; exit 0 }
if ($way -eq 'write') { Write-ErrandError @values; exit 0 }
trap { Complete-ErrandError $_ }
try {
  $error1 = New-ErrandError @values
  if ($way -eq 'throw') { throw $error1 }
  throw (New-Object System.InvalidOperationException 'around it', $error1.Exception)
} finally { 'cleaned' }
`;

const LANGUAGES: readonly Language[] = [
  {
    name: 'bash',
    needs: ['bash'],
    throws: [],
    program: (folder) => ['bash', written(folder, 'case.sh', BASH)],
  },
  {
    name: 'Python',
    needs: ['python3'],
    throws: ['throw', 'wrapped', 'grouped'],
    program: (folder) => ['python3', written(folder, 'case.py', PYTHON)],
  },
  {
    name: 'Node',
    needs: [process.execPath],
    throws: ['throw', 'wrapped', 'grouped'],
    program: (folder) => [process.execPath, written(folder, 'case.mjs', NODE)],
  },
  {
    name: 'C#',
    needs: ['mcs', 'mono'],
    throws: ['throw', 'wrapped'],
    program: (folder) => {
      const out = join(folder, 'case.exe');
      const source = written(folder, 'Case.cs', CSHARP);
      execFileSync('mcs', ['-warnaserror', `-out:${out}`, source, join(HELPERS, 'ErrandError.cs')]);
      return ['mono', out];
    },
  },
  {
    name: 'PowerShell',
    needs: ['pwsh'],
    throws: ['throw', 'wrapped'],
    program: (folder) => ['pwsh', '-NoProfile', '-File', written(folder, 'case.ps1', POWERSHELL)],
  },
];

function written(folder: string, name: string, source: string): string {
  const path = join(folder, name);
  writeFileSync(path, source);
  return path;
}

const isThere = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;

describe.each(LANGUAGES)('the helper for $name', ({ needs, program, throws }) => {
  const isMissing = needs.some((each) => !isThere(each));
  let folder = '';
  let command: readonly [string, ...string[]];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'errand-helpers-'));
    if (!isMissing) command = program(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const play = (way: string, { kind, message = '', details = null }: Case) => {
    const out = join(folder, 'error.json');
    rmSync(out, { force: true });
    const [name, ...args] = command;
    const { status, stdout } = spawnSync(
      name,
      [...args, way, kind, message, JSON.stringify(details)],
      {
        encoding: 'utf8',
        env: {
          ...process.env,
          ERRAND_ERROR_OUT: out,
          ERRAND_ATTEMPT: '2',
          ERRAND_RUN: 'run7',
          ERRAND_IDEMPOTENCY_KEY: 'key7',
          TRACEPARENT: '00-a-b-01',
        },
      },
    );
    return { status, stdout, out };
  };

  it.skipIf(isMissing).each(CASES)('writes $name', (each) => {
    const { out } = play('write', each);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(each.written);
  });

  it.skipIf(isMissing).each(throws)('raises what is thrown, after cleaning up: %s', (way) => {
    const [each] = CASES;
    if (each === undefined) throw new Error('there is no case');
    const { status, stdout, out } = play(way, each);
    expect(stdout.trim()).toBe('cleaned');
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(each.written);
    expect(status).toBe(1);
  });

  it.skipIf(isMissing)('says what Errand says of this try', () => {
    const [each] = CASES;
    if (each === undefined) throw new Error('there is no case');
    expect(play('facts', each).stdout.trim()).toBe('2 run7 key7 00-a-b-01');
  });
});
