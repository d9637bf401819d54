import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyReport } from './arbitraries.cases.ts';
import { forPerson } from './project.ts';
import { reportSchema } from './schema.ts';
import { columnsOf } from './render/columns.ts';
import { renderPanel } from './render/panel.ts';
it('person', { timeout: 400000 }, () => { fc.assert(fc.property(anyReport, (r) => { expect(reportSchema.safeParse(forPerson(r)).error?.issues ?? []).toEqual([]); }), { numRuns: 4000 }); });
it('panel', { timeout: 400000 }, () => { fc.assert(fc.property(anyReport, fc.integer({min:60,max:120}), (r, c) => { expect(new Set(renderPanel(r,{columns:c}).split('\n').map(columnsOf)).size).toBe(1); }), { numRuns: 2000 }); });
