import { describe, expect, it } from 'vitest';
import { expectLinear } from '../../../test/own-time.ts';
import { renderJson } from '../render/json.ts';
import { renderLine } from '../render/line.ts';
import { renderMarkdown } from '../render/markdown.ts';
import { renderPanel } from '../render/panel.ts';
import { renderProblem } from '../render/problem-document.ts';
import { forModel, forPerson, forPublic } from '../report/audiences.ts';
import { failure } from '../thrown/errand-error.ts';
import { hideStackFrames } from './stack-frames.ts';

const { stack = '' } = new Error('boom');

describe('the frames of a stack', () => {
  it.each([
    ['boom\n    at foo (/srv/x.js:1:2)\n    at async bar (file:///srv/y.js:1:2)', 'boom'],
    ['boom\n    at node:internal/x:1:1\n    at /srv/x.js:3:4\nthen more', 'boom\nthen more'],
    ['boom\r\n    at new A (x.js:1:2)\r\n    at Object.<anonymous> (node:a:1:1)', 'boom'],
    ['boom\\n    at foo (x.js:1:2)\\n    at Array.map (<anonymous>)', 'boom'],
    ['boom at foo (/srv/x.js:1:2) at async A.b [as c] (y.js:1:2)', 'boom'],
    ['java.lang.E: x\n\tat com.acme.Foo.bar(Foo.java:10)\n\t... 12 more', 'java.lang.E: x'],
    ['E: x\n   at A.B(String c) in C:\\src\\a.cs:line 7', 'E: x'],
    [stack, 'Error: boom'],
  ])('in %j leave %j', (text, shown) => {
    expect(hideStackFrames(text)).toBe(shown);
  });

  it.each([
    'Meet\n  at the shop (room 3)\n  at 10:30:15',
    'The node failed at fetch (attempt 2): look at line 3:4',
    'at a:1\nat (x)\n  at once',
    'Error at /agents/1, at https://host:8080/v1/chat',
  ])('are not found in %j', (text) => {
    expect(hideStackFrames(text)).toBe(text);
  });

  it('take linear time', () => {
    expectLinear(
      (size) => hideStackFrames(`\n at ${'('.repeat(size)} at ${'x:1'.repeat(size)}`),
      4000,
    );
  });

  it('are in no view and no form of a report, wherever its author put them', () => {
    const frames =
      '    at secretFunction (/srv/x.js:1:2)\n    at async other (file:///srv/y.js:1:2)';
    const { report } = failure('order.broken', `boom\n${frames}`, {
      stack: `Error: boom\n${frames}`,
      list: frames.split('\n'),
      nested: { text: JSON.stringify({ stack: frames }) },
    });
    const forms = [renderPanel, renderLine, renderJson, renderMarkdown, renderProblem].map(
      (render) => JSON.stringify(render(report)),
    );
    const views = [
      forPerson(report),
      forModel(report),
      forPublic(report, { disclosure: 'verbose' }),
    ];
    for (const text of [...forms, ...views.map((view) => JSON.stringify(view))]) {
      expect(text).toContain('boom');
      expect(text).not.toMatch(/secretFunction|at async|[xy]\.js/);
    }
    expect(report.message).toContain('secretFunction');
  });

  it('stay in what a script printed for its author, without the folders', () => {
    const { report } = failure('order.broken', 'x', { stderr_tail: stack });
    expect(forPerson(report).details?.['stderr_tail']).toMatch(
      /at …\/stack-frames\.test\.ts\S*:\d+:\d+/,
    );
    expect(JSON.stringify(forPerson(report))).not.toContain(process.cwd());
  });
});
