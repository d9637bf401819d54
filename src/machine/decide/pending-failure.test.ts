import { describe, expect, it } from 'vitest';
import { rehearse, workflow } from '../harness.cases.ts';

describe('a limit that is reached while a failure waits for its retry has it as its cause', () => {
  const failing = () => ({ fail: { kind: 'order.missing', message: 'no' } });
  const retry = 'routes: [{to: $end}, {on_error: true, retry: {max: 9, initial_seconds: 50}}]';
  const script = `type: script, command: x, ${retry}`;
  const child = `workflow: {name: c, entry_point: x}\nnodes: [{name: x, ${script}}]\n`;
  const cause = (path: string): object => ({ kind: 'order.missing', location: { path } });

  it.each([
    ['the run’s time', `  - {name: a, ${script}}\n`, 'a'],
    ['the run’s time, in a child', '  - {name: a, type: workflow, workflow: ./c.yaml}\n', 'a/x'],
    [
      'the run’s time, in a member',
      `  - {name: b, type: wait, duration: 1h}\n  - {name: x, ${script}}\nparallel: [{name: a, agents: [b, x]}]\n`,
      'a[x]/x',
    ],
  ])('%s', (_, nodes, path) => {
    const { state } = rehearse(workflow(nodes, '  limits: {timeout_seconds: 60}\n'), {
      files: { 'c.yaml': child },
      effects: failing,
    });
    expect(state.error).toMatchObject({ kind: 'limit.run_timeout', cause: cause(path) });
  });

  it('the time of a node, which stays where it was reached', () => {
    const { state } = rehearse(
      workflow('  - {name: a, type: workflow, workflow: ./c.yaml, timeout_seconds: 60}\n'),
      { files: { 'c.yaml': child }, effects: failing },
    );
    expect(state.error).toMatchObject({
      kind: 'limit.node_timeout',
      location: { path: 'a' },
      frames: [{ path: 'a' }],
      cause: cause('a/x'),
    });
  });

  it('the steps of a workflow, which its own routes still do not handle', () => {
    const { state, story } = rehearse(
      workflow(`  - {name: a, ${script}}\n`, '  limits: {max_iterations: 2}\n'),
      { effects: failing },
    );
    expect(story.filter((line) => line === 'node:started a')).toHaveLength(2);
    expect(state.error).toMatchObject({ kind: 'limit.steps', cause: cause('a') });
  });

  it('the time of a run that waits for an answer about it', () => {
    const ask = 'routes: [{to: $end}, {on_error: true, ask: {options: [retry, abort]}}]';
    const { state } = rehearse(
      workflow(
        `  - {name: b, type: wait, duration: 1h}\n  - {name: x, type: script, command: x, ${ask}}\nparallel: [{name: a, agents: [b, x]}]\n`,
        '  limits: {timeout_seconds: 60}\n',
      ),
      { effects: failing },
    );
    expect(state.error).toMatchObject({ kind: 'limit.run_timeout', cause: cause('a[x]/x') });
  });
});
