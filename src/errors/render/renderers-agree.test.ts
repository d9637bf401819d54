import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyReport } from '../report/arbitraries.cases.ts';
import { printable } from '../support/printable.ts';
import { forPerson, type PersonReport } from '../report/audiences.ts';
import type { ErrorReport } from '../report/report.ts';
import { columnsOf } from './columns.ts';
import { renderJson } from './json.ts';
import { renderLine } from './line.ts';
import { renderMarkdown } from './markdown.ts';
import { renderPanel } from './panel.ts';
import { renderProblem } from './problem-document.ts';
import { SAMPLES } from './samples.cases.ts';
import { locationWords, retryableWords } from './report-words.ts';
import { runs } from '../../../test/runs.ts';

/** Facts that may never differ between two renderers. */
type Core = Pick<ErrorReport, 'kind' | 'category' | 'retryable' | 'action' | 'location'>;

function coreOf({ kind, category, retryable, action, location }: Core): Core {
  return { kind, category, retryable, action, ...(location && { location }) };
}

/** Removes wrapping, borders and escapes, which belong to the form and not to the text. */
const letters = (text: string): string =>
  text.replace(/\u001b\[\d+m/g, '').replace(/[\s│╭╮╰╯─\\]/g, '');

const TEXTS: Record<string, (report: ErrorReport) => string> = {
  'a panel of 60 columns': (report) => renderPanel(report, { columns: 60 }),
  'a panel of 80 columns': (report) => renderPanel(report),
  'a panel of 120 columns in colour': (report) =>
    renderPanel(report, { columns: 120, color: true }),
  'a line': renderLine,
  'a Markdown page': renderMarkdown,
};

describe.each(Object.entries(SAMPLES))('the facts of the sample %s', (_, report) => {
  const shown: PersonReport = forPerson(report);

  it.each(Object.entries(TEXTS))(
    '%s shows kind, category, retryable, action and location',
    (_form, render) => {
      const text = letters(render(report));
      const facts = [
        report.kind,
        `${report.category}`,
        `retryable:${retryableWords(report)}`,
        report.action.kind,
        shown.action.detail,
        locationWords(shown.location) ?? '',
      ];
      // a panel has a column for the label, Markdown a list, a line a word
      const plain = text.replace(/Retryable:|retryable:?/g, 'retryable:');
      for (const word of facts) expect(plain).toContain(letters(word));
    },
  );

  it('are in the JSON unchanged', () => {
    expect(coreOf(JSON.parse(renderJson(report)) as ErrorReport)).toEqual(coreOf(shown));
  });

  it('are in the problem document unchanged, but for the file', () => {
    const { file: _file, ...location } = shown.location ?? {};
    const expected = { ...coreOf(shown), ...(shown.location && { location }) };
    expect(coreOf(renderProblem(report).body)).toEqual(expected);
  });
});

it('the samples have all three values of retryable', () => {
  const values = Object.values(SAMPLES).map(retryableWords);
  expect(new Set(values.map((words) => words.replace(/,.*/, '')))).toEqual(
    new Set(['yes', 'no', 'unknown']),
  );
});

describe('any report', () => {
  it('has a panel that is a rectangle, without control characters', () => {
    fc.assert(
      fc.property(anyReport, fc.integer({ min: 0, max: 200 }), (report, columns) => {
        const panel = renderPanel(report, { columns });
        expect(printable(panel)).toBe(panel);
        const width = Math.min(120, Math.max(60, columns));
        expect(new Set(panel.split('\n').map(columnsOf))).toEqual(new Set([width]));
      }),
    );
  });

  it('has the action last in its panel', () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        const [before = '', after = ''] = letters(renderPanel(report)).split(/next(?!.*next)/);
        expect(before).not.toBe('');
        expect(after).toContain(report.action.kind);
      }),
      { numRuns: runs(20) },
    );
  });

  it('has a line that is one line', () => {
    fc.assert(fc.property(anyReport, (report) => !/[\n\r\u2028]/.test(renderLine(report))));
  });

  it('has a problem document with a wait only where waiting helps', () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        const { status, headers, body } = renderProblem(report);
        expect(body).toMatchObject({
          status,
          instance: forPerson(report).id,
          type: `urn:errand:error:${report.kind}`,
        });
        const waits = report.retryable === true && report.provider?.retryAfterMs !== undefined;
        expect(Object.hasOwn(headers, 'retry-after')).toBe(waits);
        const hintMs = Math.floor(report.provider?.retryAfterMs ?? 0);
        if (waits) expect(Number(headers['retry-after']) * 1000).toBeGreaterThanOrEqual(hintMs);
      }),
    );
  });

  it('has a Markdown page in which nothing of the failure becomes markup', () => {
    const page = renderMarkdown(SAMPLES['hostile'] as ErrorReport);
    expect(page).toContain(String.raw`\*stars\*, \`ticks\`, \<b\>tags\</b\> \| pipes \# 1`);
    expect(page.split('\n').filter((line) => line.startsWith('#'))).toHaveLength(1);
  });
});
