/** Every example, rehearsed as its users would: no surprise, and every error route taken. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refund } from '../../examples/code-first.ts';
import { rehearse } from '../../src/rehearsal/index.ts';

const directory = join(import.meta.dirname, '../../examples');
// the module of orders.yaml imports the package by its name; its rehearsal is in command.test.ts
const files = readdirSync(directory).filter(
  (file) => file.endsWith('.yaml') && file !== 'orders.yaml',
);

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
  });

  it('works for a workflow in code', async () => {
    const { coverage, surprises } = await rehearse(refund, { crashes: 'sample:40' });
    expect(surprises).toBe(0);
    expect(coverage.routes).toMatchObject({ covered: 2, total: 2 });
  });
});
