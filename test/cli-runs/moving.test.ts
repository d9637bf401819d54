/** `errand export` and `errand import`: a run as one file, and back. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { anyErrand, startErrand, type Ended } from '../survival/process.ts';
import { text } from '../survival/subjects.ts';

const root = mkdtempSync(join(tmpdir(), 'errand-moving-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;

/** Pays, asks a person, and ships. */
const ORDER = text({
  workflow: { name: 'order', entry_point: 'pay', input: { who: { type: 'string' } } },
  nodes: [
    {
      name: 'pay',
      type: 'script',
      command: 'sh',
      args: ['-c', 'echo paid >> "$BOOK"; echo "$TOKEN" >&2; echo "{}"'],
      env: { BOOK: '${BOOK}', TOKEN: '${SHOP_TOKEN}' },
      routes: [{ to: 'ask' }],
    },
    {
      name: 'ask',
      type: 'human_gate',
      prompt: 'Ship to {{ workflow.input.who }}?',
      options: [{ label: 'Yes', value: 'y', route: 'ship' }],
    },
    { name: 'ship', type: 'set', value: 'shipped to {{ workflow.input.who }}' },
  ],
  output: { done: '{{ ship.output }}' },
});
const SECRET = 'tok-Zk7Qp2Xw9LmR4tVb8NcY';
const BOOK = join(root, 'book.txt');

interface Folder {
  readonly path: string;
  readonly errand: (...args: string[]) => Promise<Ended>;
}

function folder(): Folder {
  const path = join(root, String(++folders));
  mkdirSync(path);
  writeFileSync(join(path, 'order.yaml'), ORDER);
  const env = { BOOK, SHOP_TOKEN: SECRET };
  return { path, errand: (...args) => anyErrand(args, { cwd: path, env }) };
}

async function paused(at: Folder): Promise<string> {
  const { exit, stderr } = await at.errand('run', 'order.yaml', '-i', 'who=ada');
  expect(exit, stderr).toBe(5);
  return /errand answer (?<run>\S+)/.exec(stderr)?.groups?.['run'] ?? '';
}

const paidTimes = (): number => readFileSync(BOOK, 'utf8').trim().split('\n').length;

describe('an exported run', () => {
  it('is answered in another store, and what it did is not done again', async () => {
    const [here, there] = [folder(), folder()];
    const run = await paused(here);
    const before = paidTimes();
    const file = join(there.path, 'run.jsonl');
    const exported = await here.errand('export', run, '--output', file);
    expect(exported.exit, exported.stderr).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const imported = await there.errand('import', 'run.jsonl', '--format', 'json');
    expect(JSON.parse(imported.stdout)).toMatchObject({ run, workflow: 'order', status: 'paused' });
    const show = async (at: Folder): Promise<unknown> =>
      JSON.parse((await at.errand('show', run, '--format', 'json')).stdout);
    expect(await show(there)).toEqual(await show(here));
    const answered = await there.errand('answer', run, '--value', 'y');
    expect(answered.exit, answered.stderr).toBe(0);
    expect(answered.stdout).toContain('shipped to ada');
    expect(paidTimes()).toBe(before);
  });

  it('is moved, pruned and deleted in the store of the project, where ERRAND_ON says otherwise', async () => {
    const [here, there] = [folder(), folder()];
    const run = await paused(here);
    const onTemporal = (at: Folder, ...args: string[]): Promise<Ended> =>
      anyErrand(args, { cwd: at.path, env: { ERRAND_ON: 'temporal' } });
    const file = join(there.path, 'run.jsonl');
    for (const [at, ...args] of [
      [here, 'export', run, '--output', file],
      [there, 'import', 'run.jsonl'],
      [there, 'prune', '--older-than', '1d'],
      [there, 'delete', run],
    ] as const) {
      const { exit, stderr } = await onTemporal(at, ...args, '--on', 'local');
      expect(exit, stderr).toBe(0);
    }
    const refused = await onTemporal(there, 'import', 'run.jsonl');
    expect(refused.stderr.replaceAll(/[│\s]+/g, ' ')).toContain('errand import FILE --on local');
  });

  it('holds no secret that the file takes from the environment, and no path of the machine', async () => {
    const here = folder();
    const { exit, stdout } = await here.errand('export', await paused(here));
    expect(exit).toBe(0);
    expect(stdout).toContain('"who":"ada"');
    expect(stdout).not.toContain(SECRET);
    expect(stdout).not.toContain(here.path);
  });

  it('comes out the same once more', async () => {
    const [here, there] = [folder(), folder()];
    const run = await paused(here);
    const { stdout: first } = await here.errand('export', run);
    writeFileSync(join(there.path, 'run.jsonl'), first);
    expect((await there.errand('import', 'run.jsonl')).exit).toBe(0);
    expect((await there.errand('export', run)).stdout).toBe(first);
  });
});

describe('an import is refused, and nothing is written,', () => {
  const here = folder();
  let whole = '';
  const lines = (): string[] => whole.trimEnd().split('\n');
  beforeAll(async () => {
    whole = (await here.errand('export', await paused(here))).stdout;
  });

  const withDigest = (body: readonly string[]): string => {
    const text = body.map((line) => `${line}\n`).join('');
    const digest = createHash('sha256').update(text).digest('hex');
    return `${text}${JSON.stringify({ digest })}\n`;
  };
  /** The second event with other fields, and a digest that fits. */
  const doctored = (fields: object): string => {
    const event: object = JSON.parse(lines()[2] ?? '');
    return withDigest(
      lines()
        .slice(0, -1)
        .with(2, JSON.stringify({ ...event, ...fields })),
    );
  };
  const naming = (file: string): string => {
    const head: object = JSON.parse(lines()[0] ?? '');
    return withDigest(
      lines()
        .slice(0, -1)
        .with(0, JSON.stringify({ ...head, file })),
    );
  };
  const endedTwice = (): string => {
    const [head, first] = lines().map((line) => JSON.parse(line) as { readonly at: string });
    const end = { type: 'run:completed', output: null, run: first?.at, at: first?.at };
    const all = [{ ...head, events: 3 }, first, { ...end, seq: 2 }, { ...end, seq: 3 }];
    return withDigest(all.map((each) => JSON.stringify(each)));
  };

  it.each<[string, () => string, string]>([
    ['when it is no file of a run', () => '{"a": 1}\n', 'not an exported run'],
    ['when it is no JSON', () => 'hello\n', 'not an exported run'],
    ['when it is empty', () => '', 'not an exported run'],
    ['when its end is missing', () => lines().slice(0, -2).join('\n'), 'cut short'],
    ['when an event is missing', () => lines().toSpliced(2, 1).join('\n'), 'cut short'],
    [
      'when it has an event too many',
      () =>
        lines()
          .toSpliced(2, 0, lines()[2] ?? '')
          .join('\n'),
      'more than the',
    ],
    ['when a word was changed', () => whole.replace('"ada"', '"bob"'), 'changed or damaged'],
    [
      'when two events changed places',
      () =>
        lines()
          .with(2, lines()[3] ?? '')
          .with(3, lines()[2] ?? '')
          .join('\n'),
      'changed or damaged',
    ],
    ['when a type is none', () => doctored({ type: 'toString' }), 'Event 2 of the file'],
    ['when a time is none', () => doctored({ at: 'yesterday' }), 'its `at` is missing or wrong'],
    ['when a cost is below zero', () => doctored({ costUsdMicros: -1 }), 'its `costUsdMicros` is'],
    ['when a count is none', () => doctored({ usage: { inputTokens: -5 } }), 'its `usage` is'],
    ['when it names a file outside', () => naming('../order.yaml'), 'not in this folder'],
    ['when it ends twice', () => endedTwice(), 'Event 3 of the file'],
    ['when a field is no such field', () => doctored({ node: null }), 'its `node` is missing'],
    [
      'when it is of another version',
      () => whole.replace('"version":2', '"version":9'),
      'version 9',
    ],
  ])('%s', async (_, content, words) => {
    const there = folder();
    writeFileSync(join(there.path, 'run.jsonl'), content());
    const { exit, stderr } = await there.errand('import', 'run.jsonl');
    expect(stderr.replaceAll(/\s*│\n│ */g, ' ')).toContain(words);
    expect(exit).toBe(2);
    const { stdout } = await there.errand('runs', '--format', 'json');
    expect(JSON.parse(stdout)).toEqual([]);
  });

  it.each([
    [
      'when there is no such file',
      'nowhere.jsonl',
      'Cannot read nowhere.jsonl: there is no such file',
    ],
    ['when it is a folder', '.', 'Cannot read .: it is a folder'],
  ])('%s', async (_, path, words) => {
    const { exit, stderr } = await folder().errand('import', path);
    expect(stderr).toContain(words);
    expect(exit).toBe(2);
  });

  it('when the run is there already, and when it was removed', async () => {
    const run = /"run":"(?<run>[^"]+)"/.exec(whole)?.groups?.['run'] ?? '';
    writeFileSync(join(here.path, 'run.jsonl'), whole);
    const again = await here.errand('import', 'run.jsonl');
    expect(again.exit).toBe(2);
    expect(again.stderr).toContain('This store already has run');
    expect((await here.errand('delete', run)).exit).toBe(0);
    const removed = await here.errand('import', 'run.jsonl', '--format', 'json');
    expect(JSON.parse(removed.stderr || removed.stdout)).toMatchObject({
      error: {
        kind: 'run.already_ended',
        action: { detail: 'Import it into the store of another project.' },
      },
    });
  });

  it('when it was running while it was exported', async () => {
    const at = folder();
    writeFileSync(
      join(at.path, 'long.yaml'),
      text({
        workflow: { name: 'long', entry_point: 'a' },
        nodes: [
          {
            name: 'a',
            type: 'script',
            command: 'sh',
            args: ['-c', 'echo > begun; exec sleep 600'],
          },
        ],
      }),
    );
    const running = startErrand(['run', 'long.yaml'], { cwd: at.path });
    try {
      await vi.waitFor(() => statSync(join(at.path, 'begun')), { timeout: 300_000 });
      const { stdout } = await at.errand('runs', '--format', 'json');
      const [{ run }] = JSON.parse(stdout) as [{ run: string }];
      expect((await at.errand('export', run, '--output', 'live.jsonl')).exit).toBe(0);
      const { exit, stderr } = await folder().errand('import', join(at.path, 'live.jsonl'));
      expect(exit).toBe(2);
      expect(stderr).toContain('was running when it was exported');
    } finally {
      running.kill('SIGTERM');
      await running.ended;
    }
  });
});
