import { describe, expect, it } from 'vitest';
import { loadWorkflowText } from '../../workflow/yaml/load-workflow.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { planChanges } from './plan-changes.ts';

function planWith(prompt: string): WorkflowPlan {
  const text = `workflow: {name: w, entry_point: a}\nnodes:\n  - {name: a, model: sim/x, prompt: ${JSON.stringify(prompt)}}`;
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
});
