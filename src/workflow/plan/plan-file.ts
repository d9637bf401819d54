/** Plans a whole file: fills in defaults and converts units. Relies on the file being valid. */
import { secondsToMs } from './duration.ts';
import { toInputField, toStateField } from '../json-schema/field-schema.ts';
import { fileFingerprint } from './fingerprint.ts';
import { omitUndefined, mapValues } from './omit-undefined.ts';
import {
  DEFAULT_TIMEZONE,
  PLAN_VERSION,
  type FilePlan,
  type Limits,
  type SchedulePlan,
} from './plan.ts';
import { usdToMicros } from './micro-dollars.ts';
import type { NodePlan } from './node-plan.ts';
import { planNode } from '../nodes/plan-node.ts';
import { planRoute } from '../nodes/plan-route.ts';
import type { Planner } from './planner.ts';
import { planPrice, planRuntime } from './plan-runtime.ts';
import type { HeaderFile } from '../schema/header-schema.ts';
import type { WorkflowFile } from '../schema/file-schema.ts';

const DEFAULT_MAX_ITERATIONS = 1000;

export function planFile(file: WorkflowFile, name: string, planner: Planner): FilePlan {
  const { workflow: header } = file;
  const plan: Omit<FilePlan, 'fingerprint'> = omitUndefined({
    v: PLAN_VERSION,
    name: header.name,
    file: name,
    entryPoint: header.entry_point,
    description: header.description,
    version:
      header.version === undefined
        ? undefined
        : planner.written(header.version, ['workflow', 'version']),
    metadata: header.metadata,
    instructions: header.instructions ?? [],
    module: header.module === undefined ? undefined : planner.resolve(header.module),
    extensions: header.extensions?.map((path) => planner.resolve(path)),
    input: mapValues(header.input ?? {}, toInputField),
    schedule: header.schedule?.map(planSchedule),
    contextMode: header.context?.mode ?? 'accumulate',
    limits: planLimits(header.limits ?? {}),
    runtime: header.runtime === undefined ? undefined : planRuntime(header.runtime, planner),
    prices: mapValues(header.cost?.pricing ?? {}, planPrice),
    state: mapValues(header.state ?? {}, toStateField),
    onUnhandled: header.on_unhandled,
    onError: (header.on_error ?? []).map((route, index) =>
      planRoute(route, index, planner.location(['workflow', 'on_error', index])),
    ),
    nodes: planNodes(file, planner),
    output: file.output,
    outputAt: file.output === undefined ? undefined : outputPlaces(file.output, planner),
    location: planner.location(['workflow']),
  });
  return { ...plan, fingerprint: fileFingerprint(plan) };
}

function outputPlaces(
  output: NonNullable<WorkflowFile['output']>,
  planner: Planner,
): NonNullable<FilePlan['outputAt']> {
  const fields = Object.keys(output);
  return Object.fromEntries(fields.map((field) => [field, planner.location(['output', field])]));
}

function planSchedule(entry: NonNullable<HeaderFile['schedule']>[number]): SchedulePlan {
  const { cron, timezone = DEFAULT_TIMEZONE, input = {}, overlap = 'skip' } = entry;
  return { cron: cron.trim(), timezone, input, overlap };
}

function planLimits(limits: NonNullable<HeaderFile['limits']>): Limits {
  const { timeout_seconds: timeout, budget_usd: budget } = limits;
  return omitUndefined({
    maxIterations: limits.max_iterations ?? DEFAULT_MAX_ITERATIONS,
    isDefaultMaxIterations: limits.max_iterations === undefined,
    timeoutMs: timeout === undefined ? undefined : secondsToMs(timeout),
    budgetUsdMicros: budget === undefined ? undefined : usdToMicros(budget),
    budgetTokens: limits.budget_tokens,
    budgetMode: limits.budget_mode ?? 'enforce',
    unpriced: limits.unpriced,
    maxRetries: limits.max_retries,
  });
}

function planNodes(file: WorkflowFile, planner: Planner): NodePlan[] {
  const list = file.agents === undefined ? 'nodes' : 'agents';
  return [
    ...(file.agents ?? file.nodes ?? []).map((node, index) =>
      planNode(node, [list, index], planner),
    ),
    ...(file.parallel ?? []).map((group, index) =>
      planNode({ ...group, type: 'parallel' }, ['parallel', index], planner),
    ),
    ...(file.for_each ?? []).map((group, index) =>
      planNode({ ...group, type: 'for_each' }, ['for_each', index], planner),
    ),
  ];
}
