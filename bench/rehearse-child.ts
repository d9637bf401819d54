/**
 * A separate process for `rehearse.bench.ts`, so that its peak of memory is that of the rehearsal.
 */
import { loadWorkflowText } from '../src/workflow/yaml/load-workflow.ts';
import { validateLoaded } from '../src/workflow/check/validate-workflow.ts';
import { rehearsePlan } from '../src/rehearsal/rehearse-plan.ts';

const NODES = 50;

function bigWorkflow(): string {
  const nodes = Array.from({ length: NODES - 1 }, (_, at) => {
    const next = at < NODES - 2 ? `n${at + 1}` : '$end';
    return `  - name: n${at}
    type: script
    command: x
    timeout_seconds: 5
    idempotent: ${at % 5 !== 0}
    raises: [a.b${at}]
    output: {ok: {type: boolean}}
    routes:
      - {to: ${next}}
      - {on_error: a.b${at}, retry: {max: 1, backoff: none}}
      - {on_error: true, to: sorry}
`;
  });
  const header =
    'workflow: {name: big, entry_point: n0, limits: {max_iterations: 400}, on_unhandled: fail}';
  const sorry = '  - {name: sorry, type: set, value: "{{ failing.error.message }}"}\n';
  return `${header}\nnodes:\n${nodes.join('')}${sorry}`;
}

export interface Rehearsed {
  readonly seconds: number;
  readonly pairs: number;
  readonly megabytes: number;
}

async function measure(): Promise<Rehearsed> {
  const loaded = loadWorkflowText(bigWorkflow(), { file: 'big.yaml' });
  const validation = validateLoaded('big.yaml', loaded, {});
  if (validation.plan === undefined) throw new Error('The workflow of the bench is not valid');
  const before = process.cpuUsage();
  const { result } = await rehearsePlan(validation.plan, validation);
  // its own CPU time, without other programs on the machine
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1_000_000;
  return {
    seconds,
    pairs: result.coverage.kinds.total,
    megabytes: process.resourceUsage().maxRSS / 1024,
  };
}

process.stdout.write(JSON.stringify(await measure()));
