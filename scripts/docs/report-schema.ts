/** The report as JSON Schema, for readers that run no JavaScript. */
import { z } from 'zod';
import { reportSchema } from '../../src/errors/report/report-schema.ts';

export function renderReportSchema(): string {
  const schema = z.toJSONSchema(reportSchema, {
    target: 'draft-07',
    // zod cannot express the check of details, which may be any JSON object
    unrepresentable: 'any',
  });
  const { $schema, ...rest } = schema;
  const page = { $schema, title: 'Errand error report', ...rest };
  return `${JSON.stringify(page, null, 2)}\n`;
}
