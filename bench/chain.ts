/** A chain of `call` nodes, for an Errand with the function `lookup`. */
import type { RunnableWorkflow } from '../src/engine/errand-options.ts';
import type { Build } from './built-package.ts';

export function chain({ workflow }: Build, steps: number): RunnableWorkflow {
  return workflow({
    name: 'chain',
    entryPoint: 'step-0',
    limits: { maxIterations: steps + 1 },
    nodes: Array.from({ length: steps }, (_, index) => ({
      name: `step-${index}`,
      type: 'call' as const,
      function: 'lookup',
      arguments: { index },
      ...(index + 1 < steps ? { routes: [{ to: `step-${index + 1}` }] } : {}),
    })),
  });
}
