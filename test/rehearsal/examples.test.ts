/** Every example, rehearsed as its users would: no surprise, every error route taken, all as it is recorded. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refund } from '../../examples/code-first.ts';
import { rehearse } from '../../src/rehearsal/index.ts';
import { rehearseFile } from '../../src/rehearsal/rehearse-file.ts';
import { recordFile, recordText } from '../../src/rehearsal/report/record.ts';
import { sampled } from '../sampled.ts';

const directory = join(import.meta.dirname, '../../examples');
// the module of orders.yaml imports the package by its name; its rehearsal is in command.test.ts
const files = readdirSync(directory).filter(
  (file) => file.endsWith('.yaml') && file !== 'orders.yaml',
);

/** Mutants that change anything, all killed, and those that are equivalent or not valid. With orders.yaml 86 and 26. */
const MUTANTS: readonly (readonly [file: string, total: number, equivalent: number])[] = [
  ['first-run.yaml', 12, 5],
  ['one-ticket.yaml', 0, 0],
  ['research.yaml', 2, 3],
  ['six-moves-child.yaml', 2, 0],
  ['six-moves.yaml', 17, 5],
  ['support-desk.yaml', 15, 4],
  ['tickets.yaml', 3, 2],
  ['triage.yaml', 30, 5],
];

describe('the rehearsal of an example', () => {
  it.each(files)('takes every error route of %s and finds no surprise', async (file) => {
    const { scenarios, coverage, surprises } = await rehearse(file, {
      directory,
      crashes: 'sample:40',
    });
    expect(scenarios.filter(({ verdict }) => verdict === 'surprise')).toEqual([]);
    expect(surprises).toBe(0);
    expect(coverage.routes).toMatchObject({ missed: [], covered: coverage.routes.total });
    expect(coverage.moves.missed).toEqual([]);
    expect(coverage.kinds.missed).toEqual([]);
    expect(coverage.crashes.missed).toEqual([]);
    await expect(recordText({ scenarios })).toMatchFileSnapshot(recordFile(join(directory, file)));
  });

  it.each(sampled(MUTANTS, { oneOf: 3, what: 'mutants of the examples' }))(
    'kills with its record every mutant of %s, or says why it is equivalent',
    async (file, total, equivalent) => {
      const recorded = await rehearseFile(file, {
        workspace: { base: directory, env: {} },
        extensionModules: [],
        inputOf: () => ({}),
        recordOf: (path) => readFileSync(recordFile(join(directory, path)), 'utf8'),
        crashes: 'none',
        hasMutants: true,
      });
      if (recorded.type === 'invalid') throw new Error('The example is not valid');
      const { mutants } = recorded.rehearsed.result.coverage;
      expect(mutants).toMatchObject({ covered: total, total, missed: [] });
      expect(mutants?.excluded).toHaveLength(equivalent);
      expect(mutants?.excluded.every(({ reason }) => reason !== '')).toBe(true);
    },
  );

  it('knows the mutants of every example', () => {
    expect(MUTANTS.map(([file]) => file)).toEqual(files);
  });

  it('notices no mutant where nothing is recorded or expected', async () => {
    const file = 'six-moves-child.yaml';
    const { coverage } = await rehearse(file, { directory, crashes: 'none', mutants: true });
    expect(coverage.mutants).toMatchObject({ covered: 0, total: 2, excluded: [] });
  });

  it('works for a workflow in code', async () => {
    const { coverage, surprises } = await rehearse(refund, { crashes: 'sample:40' });
    expect(surprises).toBe(0);
    expect(coverage.routes).toMatchObject({ covered: 2, total: 2 });
  });
});
