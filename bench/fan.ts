/** A `for_each` over a list with a limit of parallel members, whose step is a function. */
import type { Errand } from '../src/engine/errand-interface.ts';
import type { Build } from './built-package.ts';

export const AT_ONCE = 50;

export function fan({ workflow }: Pick<Build, 'workflow'>): ReturnType<Build['workflow']> {
  return workflow({
    name: 'fan',
    entryPoint: 'each',
    input: { items: { type: 'array' } },
    forEach: [
      {
        name: 'each',
        source: 'workflow.input.items',
        as: 'item',
        maxConcurrent: AT_ONCE,
        agent: { name: 'one', type: 'call', function: 'double', arguments: { n: '{{ item }}' } },
      },
    ],
  });
}

export async function complete(
  errand: Errand,
  file: Parameters<Errand['start']>[0],
  members: number,
): Promise<void> {
  const items = Array.from({ length: members }, (_, index) => index);
  const run = await errand.start(file, { input: { items } });
  const { status } = await run.result();
  if (status !== 'completed') throw new Error(`the fan-out ended as ${status}`);
}
