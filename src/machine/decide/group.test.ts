import { describe, expect, it } from 'vitest';
import { failing, rehearse, workflow, type Effects } from '../harness.cases.ts';

describe('groups', () => {
  const members =
    '  - {name: x, type: script, command: x}\n  - {name: y, type: script, command: y}\n';
  const parallel = (mode: string, more = ''): string =>
    `${workflow(members)}parallel: [{name: a, agents: [x, y], failure_mode: ${mode}${more}}]\noutput: {o: "{{ a.outputs }}", e: "{{ a.errors }}"}\n`;
  const oneFails: Effects = ({ path }) =>
    path.includes('[y]') ? { fail: { kind: 'order.missing', message: 'no' } } : { ok: true };

  it('collect outputs and errors apart', () => {
    const { state } = rehearse(parallel('continue_on_error'), { effects: oneFails });
    expect(state.output).toMatchObject({
      o: { x: { ok: true } },
      e: { y: { kind: 'order.missing' } },
    });
  });

  it.each(['fail_fast', 'all_or_nothing'])(
    'fail under %s with every member’s report, counted by kind',
    (mode) => {
      const { state } = rehearse(parallel(mode), { effects: oneFails });
      expect(state.error).toMatchObject({
        kind: 'group.failed',
        category: 'domain',
        location: { node: 'a', path: 'a' },
        details: { members: { y: { kind: 'order.missing' } }, counts: { 'order.missing': 1 } },
        cause: { kind: 'order.missing', location: { path: 'a[y]/y' } },
      });
    },
  );

  it('name the same action, whichever of their members failed first', () => {
    const both: Effects = ({ path }) => ({
      fail: { kind: path.includes('[x]') ? 'tool.busy' : 'provider.auth', message: 'no' },
    });
    const later = parallel('all_or_nothing').replace(
      'command: x}',
      'command: x, routes: [{to: $end}, {on_error: true, retry: {max: 1, initial_seconds: 5}}]}',
    );
    const [xFirst, yFirst] = [parallel('all_or_nothing'), later].map(
      (text) => rehearse(text, { effects: both }).state.error,
    );
    expect(xFirst?.cause?.kind).toBe('tool.busy');
    expect(yFirst?.cause?.kind).toBe('provider.auth');
    expect(yFirst?.action).toEqual(xFirst?.action);
    expect(xFirst?.action).toEqual(xFirst?.cause?.action);
  });

  it('stop the siblings of a failure, and count the cost of their attempts', () => {
    const { story } = rehearse(parallel('fail_fast'), {
      effects: ({ path }) =>
        path.includes('[x]') ? { fail: { kind: 'order.missing', message: 'no' } } : { ok: true },
    });
    expect(story).toContain('effect:failed a[y]/y effect.outcome_unknown');
    expect(story).not.toContain('node:completed a[y]/y');
  });

  it('complete with a quorum', () => {
    const { state } = rehearse(parallel('quorum', ', quorum: 1'), { effects: oneFails });
    expect(state.status).toBe('completed');
    const none = rehearse(parallel('quorum', ', quorum: 2'), { effects: oneFails });
    expect(none.state.error).toMatchObject({ kind: 'group.quorum' });
    const empty = `${workflow('  - {name: z, type: set, value: 1}\n')}for_each: [{name: a, source: "{{ [] }}", as: i, failure_mode: quorum, quorum: 1, agent: {name: m, type: set, value: 1}}]\n`;
    expect(rehearse(empty).state.error).toMatchObject({
      kind: 'group.quorum',
      details: { members: {}, counts: {} },
    });
  });

  it('run a list with bounded concurrency and keep its order', () => {
    let open = 0;
    let most = 0;
    const text = `${workflow('  - {name: z, type: set, value: 1}\n', '  input: {xs: {type: array}}\n')}for_each: [{name: a, source: workflow.input.xs, as: i, max_concurrent: 2, agent: {name: m, type: script, command: "{{ i }}{{ _index }}"}}]\noutput: {o: "{{ a.outputs }}"}\n`;
    const { state, events } = rehearse(text, {
      input: { xs: ['p', 'q', 'r', 's'] },
      effects: ({ work }) => (work.type === 'script' ? work.command : ''),
    });
    for (const { type } of events) {
      if (type === 'effect:requested') most = Math.max(most, ++open);
      if (type === 'effect:succeeded') open--;
    }
    expect(most).toBe(2);
    expect(state.output).toEqual({ o: ['p0', 'q1', 'r2', 's3'] });
  });

  it('let a member repair itself before they see a failure', () => {
    const text = `${workflow('  - {name: x, type: script, command: x, routes: [{to: $end}, {on_error: true, to: fix}]}\n  - {name: fix, type: set, value: mended}\n  - {name: y, type: set, value: fine}\n')}parallel: [{name: a, agents: [x, y]}]\noutput: {o: "{{ a.outputs }}"}\n`;
    const { state } = rehearse(text, { effects: failing('order.missing') });
    expect(state.output).toEqual({ o: { x: 'mended', y: 'fine' } });
  });

  it('refuse two members with one key', () => {
    const text = `${workflow('  - {name: z, type: set, value: 1}\n')}for_each: [{name: a, source: "{{ [1, 1] }}", as: i, key_by: i, agent: {name: m, type: set, value: 1}}]\n`;
    expect(rehearse(text).state.error).toMatchObject({
      kind: 'validation.input',
      action: {
        detail:
          'Choose a `key_by` that differs for each item, or take the double item out of the list.',
      },
    });
  });
});
