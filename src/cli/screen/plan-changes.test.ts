import { describe, expect, it } from 'vitest';
import { loadWorkflowText } from '../../workflow/yaml/load-workflow.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { planChanges } from './plan-changes.ts';

function planWith(prompt: string): WorkflowPlan {
  return plan(`{name: a, model: sim/x, prompt: ${JSON.stringify(prompt)}}`);
}

function plan(node: string, header = ''): WorkflowPlan {
  const text = `workflow: {name: w, entry_point: a${header}}\nnodes:\n  - ${node}`;
  const loaded = loadWorkflowText(text, { file: 'w.yaml' });
  if (!loaded.ok) throw new Error('it is valid');
  return loaded.plan;
}

const LONG = 'Summarise these reviews of PR {{ workflow.name }} for the people who have to read it';

describe('changes of a workflow', () => {
  it('are shown from where the text differs', () => {
    const [line = ''] = planChanges(planWith(LONG), planWith(LONG.replace('people', 'authors')));
    const [was = '', is = ''] = line.split(' → ');
    expect(was).toContain('people');
    expect(is).toContain('authors');
    expect(was).toMatch(/prompt ….{12}people/);
  });

  it.each([
    ['at the end', LONG, `${LONG}.`],
    ['at the beginning', LONG, `Now ${LONG}`],
    ['by an end that is gone', LONG, LONG.slice(0, 50)],
    ['in a short text', 'Say a', 'Say b'],
    ['in a text just too long', 'x'.repeat(38), `${'x'.repeat(37)}y`],
  ])('never look the same on both sides: %s', (_, before, after) => {
    const [line = ''] = planChanges(planWith(before), planWith(after));
    const [was = '', is = ''] = line.replace('a: prompt ', '').split(' → ');
    expect(was).not.toBe(is);
  });

  it.each([
    ['timeout_seconds: 5', 'timeout_seconds: 7.5', 'a: timeout_seconds 5 → 7.5'],
    ['exit_codes: [0]', 'exit_codes: any', 'a: exit_codes [0] → "any"'],
    ['idempotent: false', 'idempotent: true', 'a: idempotent false → true'],
    [
      'routes: [{to: $end}, {on_error: true, retry: {max: 1, initial_seconds: 1}}]',
      'routes: [{to: $end}, {on_error: true, retry: {max: 1, initial_seconds: 2}}]',
      'a: routes.1.initial_seconds 1 → 2',
    ],
    [
      'routes: [{to: $end}, {on_error: true, park: {for: 1m}}]',
      'routes: [{to: $end}, {on_error: true, park: {for: 90s}}]',
      'a: routes.1.for "60s" → "90s"',
    ],
  ])('have the keys and units of the file: %s, then %s', (before, after, line) => {
    const script = (more: string): WorkflowPlan =>
      plan(`{name: a, type: script, command: x, ${more}}`);
    expect(planChanges(script(before), script(after))).toEqual([line]);
  });

  it('have them in the limits too', () => {
    const limited = (limits: string): WorkflowPlan =>
      plan('{name: a, type: set, value: 1}', `, limits: {${limits}}`);
    expect(
      planChanges(
        limited('timeout_seconds: 60'),
        limited('timeout_seconds: 90, budget_usd: 1.5, max_iterations: 7'),
      ),
    ).toEqual([
      'workflow: limits.max_iterations 1000 → 7',
      'workflow: limits.timeout_seconds 60 → 90',
      'workflow: limits.budget_usd nothing → 1.5',
    ]);
  });
});
