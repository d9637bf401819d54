import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { anyReport } from './arbitraries.cases.ts';
import { checkFields, FIELDS } from './fields.ts';
import { writeReport } from './read.ts';
import { reportSchema } from './report-schema.ts';

describe('the schema, the table of fields and the writer', () => {
  it('name the same fields', () => {
    const names = [...Object.keys(FIELDS), 'v', 'cause'];
    const { properties = {} } = z.toJSONSchema(reportSchema, { unrepresentable: 'any' });
    expect(Object.keys(properties).toSorted()).toEqual(names.toSorted());
  });

  it('accept every report that is built', () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        expect(reportSchema.safeParse(report).error?.issues ?? []).toEqual([]);
        const { v: _v, cause: _cause, ...fields } = report;
        expect(checkFields(report)).toEqual({ good: fields, malformed: [] });
        expect(JSON.parse(writeReport(report))).toEqual(report);
      }),
    );
  });
});
