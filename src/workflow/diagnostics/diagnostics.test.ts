import { describe, expect, it } from 'vitest';
import { buildReport } from '../../errors/report/build.ts';
import {
  diagnosticToReport,
  refusalDraft,
  renderDiagnostic,
  sortDiagnostics,
} from './diagnostics.ts';
import { loadWorkflowText } from '../yaml/load-workflow.ts';

const STAMP = { id: 'err_1', at: '2026-01-01T00:00:00Z' };

const { diagnostics } = loadWorkflowText(
  `workflow: {name: x, entry_point: b}
nodes:
  - name: a
    prompt: hi
    raises: [order.lost, order.lost]
    routes: [{to: $end, park: true}]
`,
  { file: 'flows/a.yaml' },
);

describe('a diagnostic', () => {
  it('is a report with its location', () => {
    const [first] = diagnostics;
    if (first === undefined) throw new Error('none');
    expect(diagnosticToReport(first, STAMP)).toMatchObject({
      kind: 'validation.workflow',
      outcome: 'not_started',
      message: 'No node or group is called `b`',
      action: { kind: 'fix_file' },
      location: { file: 'flows/a.yaml', pointer: '/workflow/entry_point', line: 1, column: 34 },
      details: { code: 'unknown-node', expected: 'a, the only one' },
    });
  });

  it('is shown in the order of the file', () => {
    expect(diagnostics.map(renderDiagnostic).join('\n\n'))
      .toBe(`flows/a.yaml:1:34 error: No node or group is called \`b\` [unknown-node]
  1 | workflow: {name: x, entry_point: b}
    |                                  ^
  expected: a, the only one

flows/a.yaml:5:26 warning: \`order.lost\` is declared twice [duplicate-raise]
  4 |     prompt: hi
  5 |     raises: [order.lost, order.lost]
    |                          ^^^^^^^^^^
  Remove one of them

flows/a.yaml:6:25 error: The route says \`to\` and \`park\`; a route makes one move [two-moves]
  5 |     raises: [order.lost, order.lost]
  6 |     routes: [{to: $end, park: true}]
    |                         ^^^^
  Write one route for each move, in the order in which they should match

flows/a.yaml:6:25 error: \`park\` is a move for failures, but this route is for success [move-needs-error]
  5 |     raises: [order.lost, order.lost]
  6 |     routes: [{to: $end, park: true}]
    |                         ^^^^
  Add \`on_error: true\`, or the kinds it is for`);
  });

  it('that comes first leads the report of a refused file', () => {
    const draft = refusalDraft(diagnostics);
    if (draft === undefined) throw new Error('accepted');
    expect(buildReport(draft, { stamp: STAMP })).toMatchObject({
      message: 'No node or group is called `b` (and 2 more problems)',
      details: {
        count: 3,
        diagnostics: [
          { code: 'unknown-node' },
          { code: 'two-moves' },
          { code: 'move-needs-error' },
        ],
      },
    });
    expect(
      refusalDraft(diagnostics.filter(({ severity }) => severity === 'warning')),
    ).toBeUndefined();
  });

  it('stays with its file when they are sorted', () => {
    const [a, b] = diagnostics;
    if (a === undefined || b === undefined) throw new Error('none');
    const sorted = sortDiagnostics([
      { ...b, file: 'z' },
      { ...b, file: 'y' },
      { ...a, file: 'z' },
    ]);
    expect(sorted.map(({ file, line }) => `${file}:${line}`)).toEqual(['z:1', 'z:5', 'y:5']);
  });
});
