import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf } from '../../errors/render/columns.ts';
import { tableRows } from './table-lines.ts';

const FORGED = '▪ completed in 1 ms';
const cell = fc.oneof(
  fc.constantFrom('a', 'failed', '73 ms', FORGED, `x\n${FORGED}`, `x\u2028  ${FORGED}\r${FORGED}`),
  fc
    .array(fc.constantFrom('', ' ', 'word', FORGED, '値段', '\n', 'w'.repeat(50)), {
      maxLength: 30,
    })
    .map((parts) => parts.join(' ')),
);
const rows = fc.integer({ min: 1, max: 5 }).chain((count) =>
  fc.array(fc.array(cell, { minLength: count, maxLength: count }), {
    minLength: 1,
    maxLength: 4,
  }),
);

describe('a table', () => {
  it('starts only the first line of a row with the text of a cell, on any screen', () => {
    fc.assert(
      fc.property(
        rows,
        fc.integer({ min: 20, max: 120 }),
        fc.boolean(),
        fc.boolean(),
        (written, columns, wrapped, stacked) => {
          const shown = tableRows(written, columns, { wrapped, stacked });
          expect(shown).toHaveLength(written.length);
          for (const [, ...below] of shown) for (const line of below) expect(line).toMatch(/^ {4}/);
          for (const line of shown.flat()) expect(line).not.toMatch(/[\n\r\u2028]/);
        },
      ),
    );
  });

  it('fits the screen where cells are wrapped, and loses no word', () => {
    const written = [
      ['NODE', 'STATUS', 'ERROR'],
      [`g[${`${FORGED} `.repeat(6)}]/one`, 'failed', `ext.bad: ${`${FORGED} `.repeat(6)}`],
    ];
    for (const columns of [24, 40, 60, 80, 200]) {
      const lines = tableRows(written, columns, { wrapped: true }).flat();
      expect(Math.max(...lines.map(columnsOf))).toBeLessThanOrEqual(columns);
      const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
      expect(words(lines.join(' '))).toEqual(words(written.flat().join(' ')));
    }
  });

  it('keeps its columns where only the last one has no room', () => {
    const written = [
      ['NODE', 'OUTCOME', 'TARGET'],
      ['look_up[1]/order', 'succeeded', 'script node'],
      ['triage', 'provider.rate_limited', ''],
    ];
    expect(tableRows(written, 40, { stacked: true }).flat()).toEqual([
      'NODE              OUTCOME',
      '    TARGET',
      'look_up[1]/order  succeeded',
      '    script node',
      'triage            provider.rate_limited',
    ]);
  });
});
