/** Runs that went wrong in different ways, rehearsed with a clock of their own: the same every time. */
import { simulate, type SimulationOptions } from '../../src/rehearsal/simulated-run.ts';
import type { RunResult } from '../../src/engine/backend.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import type { RunRecord } from '../../src/machine/ports/store-port.ts';
import { loadWorkflowText } from '../../src/workflow/yaml/load-workflow.ts';
import type { WorkflowPlan } from '../../src/workflow/plan/plan.ts';

export interface SampleRun {
  readonly run: string;
  readonly plan: WorkflowPlan;
  readonly events: readonly RunEvent[];
  readonly result: RunResult;
}

const BROKEN = { kind: 'internal.script_error', message: 'connection reset by peer' } as const;
const BUSY = {
  kind: 'provider.rate_limited',
  message: 'sim/first is rate limiting.',
  provider: { name: 'sim', model: 'first', status: 429, retryAfterMs: 2000 },
  rule: { id: 'rate.code', evidence: ['status=429'], confidence: 'high' },
} as const;

const SAMPLES = {
  /** A retry that runs out, then a route for another kind, then none: the run fails. */
  spent: sample(
    `workflow:
  name: spent
  entry_point: fetch
  on_error:
    - {on_error: limit.steps, halt: {}}
nodes:
  - name: fetch
    type: script
    command: fetch
    idempotent: true
    routes:
      - {to: $end}
      - {on_error: order.missing, to: sorry}
      - {on_error: internal.script_error, retry: {max: 2, backoff: fixed, initial_seconds: 1, jitter: 0}}
  - {name: sorry, type: set, value: sorry}`,
    { fails: { fetch: [BROKEN] } },
  ),
  /** A chain: the first model is busy, the second answers. */
  fallback: sample(
    `workflow:
  name: fallback
  entry_point: classify
  runtime:
    simulate_price_per_mtok: {input: 3, output: 15}
    simulate: {second: [{answer: {label: bug}}]}
nodes:
  - {name: classify, type: agent, prompt: Label it, tools: [], model: [sim/first, sim/second], output: {label: {type: string}}}`,
    { fails: { classify: [BUSY, null] } },
  ),
  /** Two of three members fail, and with them the group. */
  group: sample(
    `workflow: {name: group, entry_point: all}
nodes:
  - {name: a, type: script, command: a, routes: [{to: $end}]}
  - {name: b, type: script, command: b}
  - {name: c, type: set, value: 1}
parallel:
  - {name: all, agents: [a, b, c], failure_mode: all_or_nothing, routes: [{to: $end}, {on_error: tool.failed, to: c}]}`,
    { fails: { a: [BROKEN], b: [{ kind: 'order.missing', message: 'There is no order 7' }] } },
  ),
  /** A failure with a question for a person. */
  asked: sample(
    `workflow: {name: asked, entry_point: charge}
nodes:
  - name: charge
    type: script
    command: charge
    idempotent: true
    raises: [card.declined]
    routes: [{to: $end}, {on_error: card.declined, ask: {options: [retry, skip, abort], timeout: 24h}}]`,
    { fails: { charge: [{ kind: 'card.declined', message: 'The card was declined' }] } },
  ),
} as const;

export type SampleName = keyof typeof SAMPLES;
export const SAMPLE_NAMES = Object.keys(SAMPLES) as SampleName[];

export async function sampleRun(name: SampleName): Promise<SampleRun> {
  const plan = samplePlan(name);
  const { run, events, result } = await simulate(plan, { ...SAMPLES[name].options, maxLegs: 1 });
  return { run, plan, events, result };
}

export function samplePlan(name: SampleName): WorkflowPlan {
  const loaded = loadWorkflowText(SAMPLES[name].text, { file: 'sample.yaml' });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
  return loaded.plan;
}

/** The record as a store would return it. */
export function recordOf({ run, plan, events, result }: SampleRun): RunRecord {
  const startedAt = events[0]?.at ?? '';
  const endedAt = events.at(-1)?.at ?? '';
  return {
    run,
    workflow: plan.name,
    file: plan.file,
    status: result.status,
    startedAt,
    ...(result.status === 'paused' ? { waiting: result.waiting } : { endedAt }),
    costUsdMicros: 0,
    claim: null,
    plan: JSON.stringify(plan),
    input: {},
    head: { nextSeq: events.length + 1, digest: '' },
  };
}

interface Sample {
  readonly text: string;
  readonly options: SimulationOptions;
}

function sample(text: string, options: SimulationOptions): Sample {
  return { text, options };
}
