import { describe, expect, it } from 'vitest';
import type { ErrorReport } from '../report/report.ts';
import { columnsOf } from './columns.ts';
import { renderJson } from './json.ts';
import { renderLine } from './line.ts';
import { renderMarkdown } from './markdown.ts';
import { renderPanel } from './panel.ts';
import { renderProblem } from './problem-document.ts';
import { SAMPLES } from './samples.cases.ts';

const FORMS: Record<string, (report: ErrorReport) => string> = {
  'panel-60.txt': (report) => renderPanel(report, { columns: 60 }),
  'panel-80.txt': (report) => renderPanel(report),
  'panel-120.txt': (report) => renderPanel(report, { columns: 120 }),
  'panel-80-color.ansi': (report) => renderPanel(report, { color: true }),
  'line.txt': renderLine,
  'report.json': (report) => renderJson(report, { indent: 2 }),
  'report.md': renderMarkdown,
  'problem.json': (report) => JSON.stringify(renderProblem(report), null, 2),
};

describe.each(Object.entries(SAMPLES))('the sample %s', (name, report) => {
  it.each(Object.entries(FORMS))('is shown as in the golden file %s', async (form, render) => {
    await expect(`${render(report).trimEnd()}\n`).toMatchFileSnapshot(`__golden__/${name}/${form}`);
  });

  it.each([60, 80, 120])('has a panel of %i columns, with every line as wide', (columns) => {
    const lines = renderPanel(report, { columns }).split('\n');
    expect(new Set(lines.map(columnsOf))).toEqual(new Set([columns]));
  });

  it('has the same panel in colour', () => {
    const colored = renderPanel(report, { color: true });
    expect(colored).not.toBe(renderPanel(report));
    expect(colored.replace(/\u001b\[\d+m/g, '')).toBe(renderPanel(report));
  });

  it('has a line that is one line', () => {
    expect(renderLine(report)).not.toMatch(/[\r\n\t]/);
  });
});
