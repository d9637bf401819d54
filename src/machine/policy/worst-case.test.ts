import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateWorkflow } from '../../workflow/check/validate-workflow.ts';
import { memoryFiles } from '../../workflow/yaml/files.cases.ts';
import { rehearse, type Effects } from '../harness.cases.ts';
import { runs } from '../../../test/runs.ts';

/** Workflows of every shape the machine knows, as JSON, which is YAML. */
const NAMES = ['a', 'b', 'c', 'd', 'e'] as const;

const retry = fc.record({
  on_error: fc.constantFrom('internal.script_error', 'order.missing', 'order.*', true),
  retry: fc.record({ max: fc.integer({ min: 1, max: 3 }), backoff: fc.constant('none') }),
});

/** Forward only, or anywhere where the file bounds its loops. */
function routes(index: number, mayLoop: boolean): fc.Arbitrary<object[]> {
  const later = mayLoop ? NAMES : NAMES.slice(index + 1);
  const to = fc.constantFrom(...later, '$end');
  const guarded = fc.record({ to, when: fc.constantFrom('{{ attempt == 0 }}', '{{ false }}') });
  const handler = fc.record({ on_error: fc.constantFrom('order.missing', 'order.*'), to });
  return fc
    .tuple(
      fc.array(guarded, { maxLength: 1 }),
      to,
      fc.array(retry, { maxLength: 2 }),
      fc.array(handler, { maxLength: 1 }),
    )
    .map(([guards, end, retries, handlers]) => {
      const narrow = retries.filter(({ on_error }) => on_error !== true);
      const wide = retries.filter(({ on_error }) => on_error === true).slice(0, 1);
      return [...guards, { to: end }, ...narrow, ...handlers, ...wide];
    });
}

function node(index: number, mayLoop: boolean): fc.Arbitrary<object> {
  const name = NAMES[index];
  const script = { type: 'script', command: 'x', timeout_seconds: 1, idempotent: true };
  const body = fc.constantFrom<object>(
    script,
    script,
    { type: 'set', value: 1 },
    { type: 'workflow', workflow: './child.yaml' },
  );
  return fc
    .tuple(body, routes(index, mayLoop))
    .map(([kind, table]) => ({ name, ...kind, routes: table }));
}

const workflow = fc.boolean().chain((mayLoop) =>
  fc
    .tuple(
      fc.tuple(...NAMES.map((_, index) => node(index, mayLoop))),
      fc.integer({ min: 1, max: 12 }),
      retry,
      fc.boolean(),
    )
    .map(([nodes, maxIterations, groupRetry, hasGroup]) => ({
      workflow: {
        name: 't',
        entry_point: hasGroup ? 'g' : 'a',
        ...(mayLoop ? { limits: { max_iterations: maxIterations } } : {}),
      },
      nodes,
      ...(hasGroup
        ? {
            parallel: [
              {
                name: 'g',
                agents: ['a', 'b'],
                failure_mode: 'all_or_nothing',
                routes: [{ to: '$end' }, { on_error: 'group.failed', retry: groupRetry.retry }],
              },
            ],
          }
        : {}),
    })),
);

/** More of them in a soak: `RUNS=20000`. */
const RUNS = Number(process.env['RUNS'] ?? runs(500));

const CHILD = JSON.stringify({
  workflow: { name: 'child', entry_point: 'x' },
  nodes: [
    {
      name: 'x',
      type: 'script',
      command: 'y',
      timeout_seconds: 1,
      routes: [{ to: '$end' }, { on_error: 'order.missing', retry: { max: 2, backoff: 'none' } }],
    },
  ],
});

/** Which attempts fail, drawn once and the same for every run of the plan. */
function faults(plan: readonly number[]): Effects {
  let turn = 0;
  return () => {
    const draw = plan[turn++ % plan.length] ?? 0;
    if (draw === 0) return { n: 1 };
    return {
      fail: { kind: draw === 1 ? 'order.missing' : 'internal.script_error', message: 'no' },
    };
  };
}

describe('the worst case that is printed', () => {
  it('is never exceeded, whatever fails and whatever succeeds', () => {
    let bounded = 0;
    const plans = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(workflow, plans, (file, plan) => {
        const text = JSON.stringify(file);
        const files = { 'child.yaml': CHILD, 'main.yaml': text };
        const [checked] = validateWorkflow('main.yaml', memoryFiles(files), {}).files;
        const worst = checked?.worstCase?.effects;
        if (worst === null || worst === undefined) return;
        bounded++;
        const { events } = rehearse(text, { files, effects: faults(plan) });
        const made = events.filter(({ type }) => type === 'effect:requested').length;
        expect(made, text).toBeLessThanOrEqual(worst);
      }),
      { numRuns: RUNS },
    );
    // a law that never applies would prove nothing
    expect(bounded).toBeGreaterThan(RUNS / 4);
  }, 600_000);
});
