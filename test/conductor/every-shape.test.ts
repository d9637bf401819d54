/**
 * One file for each key and each combination of keys that Conductor's public examples use, in our own words.
 * All of them are valid and run to their end with simulated models.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/errors/support/safe-json.ts';
import { openErrand, type Errand } from '../../src/index.ts';

const FILES = join(import.meta.dirname, 'files');

let errand: Errand;
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'errand-shapes-'));
  errand = await openErrand({
    store: 'memory',
    directory: FILES,
    env: { PATH: process.env['PATH'] ?? '', ERRAND_PROVIDER: 'sim' },
  });
});
afterAll(async () => {
  await errand.close();
  rmSync(folder, { recursive: true, force: true });
});

async function outputOf(file: string, input: JsonObject = {}): Promise<JsonValue> {
  const run = await errand.start(await errand.load(file), { input });
  const result = await run.result();
  expect(result).toMatchObject({ status: 'completed' });
  return result.status === 'completed' ? result.output : null;
}

describe('each file in the shape of another engine', () => {
  it.each(readdirSync(FILES).filter((file) => file.endsWith('.yaml') && file !== 'refused.yaml'))(
    '%s is valid with simulated models',
    async (file) => {
      const { isValid, files } = await errand.validate(file);
      const errors = files.flatMap(({ diagnostics }) =>
        diagnostics.filter(({ severity }) => severity === 'error'),
      );
      expect(errors).toEqual([]);
      expect(isValid).toBe(true);
    },
  );

  it('waits for durations of every form', async () => {
    expect(await outputOf('waits.yaml')).toEqual({ middle: 0.002, last: 0.003 });
  });

  it('has the empty value for an optional input that nobody gives', async () => {
    expect(await outputOf('optional-inputs.yaml', { team: 'ops', urgency: 'high' })).toEqual({
      key: 'ops/high',
      copies: 1,
      label: 'none',
      tags: 'no tags',
      line: 'LOUD inbox ops/high',
    });
    const given = { team: 'ops', urgency: 'low', queue: 'night', copies: 2, tags: ['a'] };
    expect(await outputOf('optional-inputs.yaml', given)).toMatchObject({
      copies: 3,
      tags: 'some tags',
      line: 'quiet night ops/low',
    });
  });

  it('takes inputs that it reads and does not declare, and says so', async () => {
    const input = { topic: 'ports', places: ['quay', 'pier'] };
    expect(await outputOf('undeclared-inputs.yaml', input)).toEqual({
      count: 2,
      most: expect.any(Number),
      places: ['1. quay', '2. pier'],
    });
    await expect(outputOf('undeclared-inputs.yaml', { topic: 'ports' })).rejects.toMatchObject({
      kind: 'validation.input',
    });
    const { files } = await errand.validate('undeclared-inputs.yaml');
    expect(
      files[0]?.diagnostics
        .filter(({ code }) => code === 'unknown-input')
        .map(({ severity, pointer, message }) => `${severity} ${pointer} ${message}`),
    ).toEqual([
      'warning /for_each/0/source The file reads the input `places` and does not declare it',
      'warning /agents/0/prompt The file reads the input `topic` and does not declare it',
      'warning /agents/0/prompt The file reads the input `tone` and does not declare it',
    ]);
  });

  it.each([
    ['none', 'in step '],
    ['drift', 'shelf 7 '],
    ['other', '71'],
  ])('routes the typed failure %s of a script', async (failure, result) => {
    expect(await outputOf('typed-script-errors.yaml', { failure })).toEqual({ result });
  });

  it.each([
    ['current', { status: 'completed', output: { result: 'none', state: 'current' } }],
    ['unsafe', { status: 'failed', error: { kind: 'terminate.failed', message: 'It is unsafe' } }],
    ['stale', { status: 'completed', output: { result: 'simulated' } }],
  ])('ends by its state %s', async (state, ending) => {
    const run = await errand.start(await errand.load('endings.yaml'), { input: { state } });
    expect(await run.result()).toMatchObject(ending);
  });

  it('polls until a script is ready', async () => {
    const file = join(folder, 'tries');
    expect(await outputOf('poll.yaml', { file })).toEqual({ summary: 'simulated', tries: 3 });
  });

  it.each([
    ['two-reviewers.yaml', { purpose: 'p' }, { file: 'simulated', approved: true, iterations: 3 }],
    [
      'epics.yaml',
      { plan: 'p' },
      {
        asked: '',
        done: 'simulated',
        left: '[\n  "simulated",\n  "simulated-1"\n]',
        is_last: true,
        fixed: 'never',
      },
    ],
    ['sources.yaml', { topic: 'ports' }, { readers: 2, failed: 0, end: 'taken' }],
    ['fan-out.yaml', {}, { total: 2, done: 2, failed: '0' }],
    ['constraints.yaml', {}, { verdict: 'passed' }],
    ['revised.yaml', { task: 't' }, { report: 'simulated', verdict: 'mend' }],
    ['dialog.yaml', { question: 'why' }, { analysis: 'simulated' }],
  ] satisfies readonly (readonly [string, JsonObject, JsonObject])[])(
    '%s runs to its end',
    async (file, input, output) => {
      expect(await outputOf(file, input)).toMatchObject(output);
    },
  );

  it('says which settings of a provider, and which output of a route, are not used', async () => {
    const unused = async (file: string): Promise<readonly string[]> => {
      const { files } = await errand.validate(file);
      return (files[0]?.diagnostics ?? [])
        .filter(({ code }) => code === 'not-used')
        .map(({ severity, pointer }) => `${severity} ${pointer}`);
    };
    expect(await unused('revised.yaml')).toEqual([
      'info /workflow/runtime/provider',
      'info /agents/2/working_dir',
    ]);
    expect(await unused('sources.yaml')).toEqual(['info /agents/3/routes/1/output']);
  });
});
