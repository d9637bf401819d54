/** The page about the AI SDK shows the figures that the bench wrote. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fallbackRows, fallbackTable } from '../../bench/compared/fallback-table.ts';

it('has the table of the latest comparison', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/coming-from-ai-sdk.md'), 'utf8');
  expect(page).toContain(fallbackTable(fallbackRows()));
});
