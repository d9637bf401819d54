/**
 * The gallery of refused files: `examples/invalid/CODE.yaml` is what brings the diagnostic CODE about,
 * and `__golden__/CODE.txt` and `.json` are what `errand validate` says to it. `vitest -u` writes them.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { validate } from '../src/cli/commands/validate.ts';
import type { KnownNames } from '../src/workflow/check/callables.ts';
import { CODES, type DiagnosticCode } from '../src/workflow/diagnostics/diagnostic-codes.ts';
import type { Diagnostic } from '../src/workflow/diagnostics/diagnostics.ts';
import { MAX_FILE_CHARS } from '../src/workflow/yaml/file-port.ts';
import type * as Validate from '../src/workflow/check/validate-workflow.ts';

const ROOT = join(import.meta.dirname, '..');
const GALLERY = 'examples/invalid';
/** Found by a run, which asks the servers; `validate` starts none. Shown in `test/mcp`. */
const BY_RUNS: ReadonlySet<string> = new Set(['server-unreachable']);
const ALL = Object.keys(CODES).filter((code) => !BY_RUNS.has(code)) as DiagnosticCode[];

/** Files that are too many or too large to be kept: made for the test, in a folder of its own. */
const MADE: Partial<Record<DiagnosticCode, (folder: string) => string>> = {
  'file-too-large': () =>
    `# The file has more than 10 MB, most of it a comment.\n${'# '.padEnd(MAX_FILE_CHARS, 'x')}\n`,
  'include-too-many': (folder) => {
    writeFileSync(join(folder, 'rule.md'), 'Be brief.\n');
    return `# The instructions include 1,001 files, and 1,000 is the most.
workflow:
  name: rules
  entry_point: greet
  instructions:
${'    - !file include-too-many/rule.md\n'.repeat(1001)}nodes:
  - {name: greet, type: set, value: hello}
`;
  },
  'child-too-many': (folder) => {
    const names = Array.from({ length: 501 }, (_, index) => `child_${index + 1}`);
    for (const name of names) {
      const text = `workflow: {name: ${name}, entry_point: a}\nnodes: [{name: a, type: set, value: 1}]\n`;
      writeFileSync(join(folder, `${name}.yaml`), text);
    }
    return `# The workflow calls 501 others, and 500 is the most.
workflow: {name: crowd, entry_point: child_1}
nodes:
${names.map((name) => `  - {name: ${name}, type: workflow, workflow: ./child-too-many/${name}.yaml}\n`).join('')}`;
  },
};

/** Diagnostics that appear only when they are asked for. */
const STRICT_ONLY: ReadonlySet<DiagnosticCode> = new Set(['unhandled-kind']);

/** Diagnostics of files whose code is not loaded. */
const UNLOADED: ReadonlySet<DiagnosticCode> = new Set(['not-looked-at']);

const WARNINGS: ReadonlySet<DiagnosticCode> = new Set([
  'shadowed-name',
  'duplicate-raise',
  'unreachable-node',
  'no-way-out',
  'endless-loop',
  'never-matches',
  'never-equal',
  'doubtful-name',
  'doubtful-model',
  'retry-around-tools',
  'capability-missing',
]);
const INFOS: ReadonlySet<DiagnosticCode> = new Set([
  'retry-around-effects',
  'exit-codes-any',
  'retry-after-timeout',
  'retry-after-refusal',
  'propagate-at-top',
  'not-looked-at',
  'not-used',
]);

/** What the host has, for diagnostics that need to know; by itself `errand validate` does not ask yet. */
const KNOWN: Readonly<Record<string, KnownNames>> = {
  [`${GALLERY}/unknown-function.yaml`]: { functions: ['fetchOrder'], tools: [] },
};

vi.mock('../src/workflow/check/validate-workflow.ts', async (original) => {
  const real = await original<typeof Validate>();
  const validateWorkflow: typeof real.validateWorkflow = (file, files, environment, options) =>
    real.validateWorkflow(file, files, environment, {
      ...options,
      known: (name) => KNOWN[name],
    });
  return { ...real, validateWorkflow };
});

let made = '';

beforeAll(() => {
  for (const name of 'ABCDEFGHIJK') vi.stubEnv(`GALLERY_${name}`, undefined);
  vi.stubEnv('GALLERY_REGION', undefined);
  made = mkdtempSync(join(tmpdir(), 'errand-gallery-'));
  for (const [code, make] of Object.entries(MADE)) {
    mkdirSync(join(made, code));
    writeFileSync(join(made, `${code}.yaml`), make(join(made, code)));
  }
});

afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(made, { recursive: true, force: true });
});

interface Said {
  readonly exit: number;
  readonly text: string;
}

type Options = Parameters<typeof validate>[1];

function pathOf(code: DiagnosticCode): string {
  return `${code in MADE ? made : GALLERY}/${code}.yaml`;
}

/** Several tests look at the same words, which are said once. */
const known = new Map<string, Promise<Said>>();

function say(code: DiagnosticCode, options: Options): Promise<Said> {
  const key = JSON.stringify([code, options]);
  const said = known.get(key) ?? sayOnce(code, options);
  known.set(key, said);
  return said;
}

async function sayOnce(code: DiagnosticCode, options: Options): Promise<Said> {
  let text = '';
  const terminal = {
    columns: 80,
    color: false,
    out: (more: string) => void (text += `${more}\n`),
    err: () => undefined,
    drained: () => Promise.resolve(),
  };
  const strict = options.strict ?? STRICT_ONLY.has(code);
  const modules = !UNLOADED.has(code);
  const exit = await validate([pathOf(code)], { ...options, strict, modules }, terminal);
  // a file outside of the current folder is shown by its relative path, which depends on where both are
  const shown = relative(process.cwd(), made).replaceAll('\\', '/');
  return { exit, text: text.replaceAll(shown, GALLERY).replaceAll(made, GALLERY) };
}

type ShownDiagnostic = Omit<Diagnostic, 'excerpt'>;

async function diagnosticsOf(code: DiagnosticCode): Promise<readonly ShownDiagnostic[]> {
  const { text } = await say(code, { format: 'json' });
  const { files } = JSON.parse(text) as {
    files: { file: string; diagnostics: ShownDiagnostic[] }[];
  };
  return files.flatMap(({ file, diagnostics }) =>
    diagnostics.map((diagnostic) => ({ ...diagnostic, file })),
  );
}

describe('the gallery of refused files', () => {
  it('has one file for each diagnostic and no other', () => {
    const kept = globSync('*.yaml', { cwd: join(ROOT, GALLERY) }).map((file) =>
      basename(file, '.yaml'),
    );
    expect([...kept, ...Object.keys(MADE)].toSorted()).toEqual(ALL.toSorted());
  });

  it('has no golden output without its file', () => {
    const golden = globSync('*', { cwd: join(ROOT, GALLERY, '__golden__') });
    const expected = ALL.flatMap((code) => [`${code}.txt`, `${code}.json`]);
    expect(golden.filter((file) => !expected.includes(file))).toEqual([]);
  });

  it.each(ALL)('%s: begins by saying what is wrong', (code) => {
    const [first = ''] = readFileSync(pathOf(code), 'latin1').slice(0, 300).split('\n');
    expect(first).toMatch(/^# .+\.$/);
  });

  it.each(ALL)('%s: gives that diagnostic and no other', async (code) => {
    const reported = await diagnosticsOf(code);
    expect([...new Set(reported.map((each) => each.code))]).toEqual([code]);
    expect([...new Set(reported.map((each) => each.severity))]).toEqual([severityOf(code)]);
  });

  it.each(ALL)('%s: says what it always said', async (code) => {
    const { text } = await say(code, { format: 'text' });
    await expect(text).toMatchFileSnapshot(golden(code, 'txt'));
    const reported = `${JSON.stringify((await diagnosticsOf(code)).map(shown), null, 2)}\n`;
    await expect(reported).toMatchFileSnapshot(golden(code, 'json'));
  });

  it.each(ALL)('%s: ends with the exit code of its severity', async (code) => {
    const isAccepted = severityOf(code) !== 'error';
    expect((await say(code, { format: 'text' })).exit).toBe(isAccepted ? 0 : 2);
    if (severityOf(code) === 'warning') {
      expect((await say(code, { format: 'text', strict: true })).exit).toBe(2);
    }
  });

  it('never calls a file valid that is refused', async () => {
    for (const code of ALL) {
      const { exit, text } = await say(code, { format: 'text' });
      // what it calls may be valid by itself, and is listed below it
      const isCalledValid = /^\S+: valid/.test(text);
      expect([code, isCalledValid]).toEqual([code, exit === 0]);
    }
  });

  it('shows every kind of refusal that a file can bring about', async () => {
    const reported = await Promise.all(ALL.map(diagnosticsOf));
    const kinds = new Set(reported.flat().map(({ kind }) => kind));
    // `validation.input` is about what is given to a file, `validation.contract_version` about a store
    // that a newer Errand has written: no key of a file names the version of the format
    expect([...kinds].toSorted()).toEqual([
      'extension.missing',
      'validation.node_config',
      'validation.template',
      'validation.unsupported',
      'validation.workflow',
    ]);
  });

  it('has a message that is one sentence, and advice that is a text to write or a sentence', async () => {
    for (const code of ALL) {
      for (const { message, suggestion = '' } of await diagnosticsOf(code)) {
        // a type of JSON Schema, not a value that got lost
        const said = message.replace('integer, null, number', '');
        expect(said, code).not.toMatch(/[.\n]$|undefined|\[object|\bnull\b/);
        expect(suggestion, code).not.toMatch(/^Did you mean|undefined|\[object/);
      }
    }
  });
});

describe('the errand command', () => {
  const run = (...args: string[]): { status: number | null; stdout: string } =>
    spawnSync(process.execPath, ['bin/errand.mjs', 'validate', ...args], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    });

  it.each([
    ['unknown-key', 2],
    ['include-cycle', 2],
    ['file-unreadable', 2],
    ['endless-loop', 0],
    ['propagate-at-top', 0],
  ] as const)('says the same to %s', async (code, exit) => {
    const { status, stdout } = run(`${GALLERY}/${code}.yaml`);
    expect(stdout).toBe((await say(code, { format: 'text' })).text);
    expect(status).toBe(exit);
  });

  it('is strict with --strict', async () => {
    expect(run('--strict', `${GALLERY}/endless-loop.yaml`).status).toBe(2);
    const { status, stdout } = run('--strict', `${GALLERY}/unhandled-kind.yaml`);
    expect(stdout).toBe((await say('unhandled-kind', { format: 'text' })).text);
    expect(status).toBe(2);
  });
});

function severityOf(code: DiagnosticCode): Diagnostic['severity'] {
  if (WARNINGS.has(code)) return 'warning';
  return INFOS.has(code) ? 'info' : 'error';
}

function golden(code: DiagnosticCode, ending: 'txt' | 'json'): string {
  return join(ROOT, GALLERY, '__golden__', `${code}.${ending}`);
}

function shown(reported: ShownDiagnostic): object {
  const { code, severity, kind, file, pointer, line, column, message, expected, suggestion } =
    reported;
  return {
    code,
    severity,
    kind,
    file,
    pointer,
    line,
    column,
    message,
    expected,
    suggestion,
  };
}
