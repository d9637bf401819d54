import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STAMP } from '../report/arbitraries.cases.ts';
import { buildReport } from '../report/build.ts';
import { ErrandError } from '../thrown/errand-error.ts';
import { toInternalRecord } from '../thrown/internal-record.ts';
import { forModel, forPerson, forPublic } from '../report/audiences.ts';
import { readReport, writeReport } from '../report/read.ts';
import { createRedactor, type Redactor } from './redact.ts';
import { renderJson } from '../render/json.ts';
import { renderLine } from '../render/line.ts';
import { renderMarkdown } from '../render/markdown.ts';
import { renderPanel } from '../render/panel.ts';
import { renderProblem } from '../render/problem-document.ts';
import type { ErrorReport, ReportDraft } from '../report/report.ts';
import { SECRETS, type Planted } from './secrets.cases.ts';
import { toReport } from '../thrown/to-report.ts';
import { runs } from '../../../test/runs.ts';

/** Each puts the text into one part of a failure, or into one way for a failure to come in. */
const PARTS_OF_A_FAILURE: Readonly<
  Record<string, (text: string, redactor: Redactor) => ErrorReport>
> = {
  message: (text, redactor) => built({ message: text }, redactor),
  'the middle of a long message': (text, redactor) =>
    built({ message: `${'long '.repeat(396)} ${text} ${'tail '.repeat(2000)}` }, redactor),
  'a value of the details': (text, redactor) => built({ details: { a: [{ b: text }] } }, redactor),
  'a key of the details': (text, redactor) =>
    built({ details: { x: { [text]: 1, [`${text} again`]: 2 } } }, redactor),
  'an error in the details': (text, redactor) =>
    built({ details: { error: new Error(text), map: new Map([[text, text]]) } }, redactor),
  'details of a group': (text, redactor) =>
    built(
      {
        kind: 'group.failed',
        details: { members: { [text]: { kind: 'a.b', message: text, x: text } } },
      },
      redactor,
    ),
  'a cause made without the redactor': (text, redactor) =>
    built({ cause: built({ message: text, details: { text } }) }, redactor),
  attempts: (text, redactor) =>
    built({ attempts: [{ number: 1, kind: 'a.b', message: text, target: text }] }, redactor),
  'location and frames': (text, redactor) =>
    built(
      {
        location: { node: text, path: text, file: text },
        frames: [{ workflow: text, node: text }],
      },
      redactor,
    ),
  provider: (text, redactor) =>
    built(
      {
        provider: { name: text, model: text, code: text, type: text, requestId: text, limit: text },
      },
      redactor,
    ),
  'rule, title, action and id': (text, redactor) =>
    built(
      {
        id: text,
        title: text,
        action: { kind: 'find_out', detail: text },
        rule: { id: text, evidence: [text], confidence: 'low' },
      },
      redactor,
    ),
  'an error': (text, redactor) => toReport(new Error(text), { redactor, fallback: 'call.failed' }),
  'the causes of an error': (text, redactor) =>
    toReport(new Error('x', { cause: new Error(text, { cause: text }) }), { redactor }),
  'a location from the context': (text, redactor) =>
    toReport(new Error('x'), { redactor, location: { node: text }, frame: { path: text } }),
  'an error that was asked for its report before': (text, redactor) => {
    const error = new ErrandError(
      { kind: 'a.b', message: text, details: { text } },
      { cause: new Error(text) },
    );
    expect(error.report.kind).toBe('a.b');
    return toReport(new Error('wrapped', { cause: error }), { redactor });
  },
  'a report from another process': (text, redactor) =>
    readReport(
      JSON.parse(
        JSON.stringify({
          v: 1,
          kind: 'a.b',
          message: text,
          details: { text },
          cause: { message: text },
        }),
      ),
      {
        redactor,
      },
    ).report,
  'text that control characters interrupt': (text, redactor) => {
    const torn = Array.from(text).join('\u0000');
    return built({ message: torn, details: { torn } }, redactor);
  },
};

function built(draft: Partial<ReportDraft>, redactor?: Redactor): ErrorReport {
  return buildReport({ kind: 'a.b', message: 'm', ...draft }, { stamp: STAMP, redactor });
}

/** Everything of a report that leaves the process. */
function outputs(report: ErrorReport): string[] {
  return [
    writeReport(report),
    JSON.stringify(forPerson(report)),
    JSON.stringify(forModel(report)),
    JSON.stringify(forPublic(report)),
    JSON.stringify(forPublic(report, { disclosure: 'verbose' })),
    ...[60, 120].map((columns) => unwrapped(renderPanel(report, { columns }))),
    renderLine(report),
    renderJson(report),
    renderMarkdown(report),
    JSON.stringify(renderProblem(report, { disclosure: 'verbose' })),
  ];
}

/** A panel breaks long words; the border and the breaks are taken out again. */
function unwrapped(panel: string): string {
  return panel.replace(/\s*│\n│\s*/g, '').replace(/\s+/g, ' ');
}

describe.each(Object.entries(SECRETS))('%s', (_, planted) => {
  it.each(Object.entries(PARTS_OF_A_FAILURE))(
    'does not leave when it is in %s',
    (_place, plant) => {
      fc.assert(
        fc.property(planted, ({ written, secret, configured }: Planted) => {
          const redactor = createRedactor(configured === undefined ? [] : [configured]);
          const report = plant(written, redactor);
          for (const shown of outputs(report)) {
            expect(shown).not.toContain(secret);
            expect(shown).not.toContain(JSON.stringify(secret).slice(1, -1));
          }
        }),
        { numRuns: runs(3) },
      );
    },
  );

  it('does not even reach the internal record', () => {
    fc.assert(
      fc.property(planted, ({ written, secret, configured }) => {
        const redactor = createRedactor(configured === undefined ? [] : [configured]);
        const error = new Error(written, { cause: new Error(`inner ${written}`) });
        const record = toInternalRecord(error, toReport(error, { redactor }), redactor);
        expect(record.thrown).toHaveLength(2);
        expect(JSON.stringify(record)).not.toContain(secret);
      }),
      { numRuns: runs(5) },
    );
  });
});
