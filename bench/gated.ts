/** A run of any length that comes to rest: three events for each of its steps, and then a gate. */
import type { workflow } from '../src/workflow/authoring/define.ts';

export function untilGate(define: typeof workflow, steps: number): ReturnType<typeof workflow> {
  return define({
    name: 'gated',
    entryPoint: 'step',
    limits: { maxIterations: steps + 10 },
    state: { n: { type: 'number', default: 0 } },
    nodes: [
      {
        name: 'step',
        type: 'set',
        values: { n: 1 },
        state: { n: '{{ state.n + 1 }}' },
        routes: [{ to: 'gate', when: `{{ state.n >= ${steps} }}` }, { to: 'step' }],
      },
      {
        name: 'gate',
        type: 'human_gate',
        prompt: 'Go?',
        options: [{ label: 'Yes', value: 'yes' }],
      },
    ],
  });
}
