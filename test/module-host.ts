/**
 * A small host in a separate process: loads modules and calls their functions, as a run would, and
 * prints the results. Reads its orders from stdin. `module.test.ts` starts it.
 */
import { readFileSync } from 'node:fs';
import { createEffectRunner } from '../src/engine/run/effect-runner.ts';
import { describeModule, loadModule } from '../src/effects/module/load-module.ts';
import { describeModules } from '../src/effects/module/plan-modules.ts';
import { nodeFiles } from '../src/engine/loading/node-files.ts';
import { buildReport } from '../src/errors/report/build.ts';
import type { JsonObject } from '../src/errors/support/safe-json.ts';
import { forPerson } from '../src/errors/report/audiences.ts';
import { createRedactor } from '../src/errors/redaction/redact.ts';
import { toReport } from '../src/errors/thrown/to-report.ts';
import type { EffectRequest } from '../src/machine/decide/effect-request.ts';
import type { EffectInput } from '../src/machine/decide/effect-input.ts';
import { tool } from '../src/index.ts';
import { loadWorkflow } from '../src/workflow/yaml/load-workflow.ts';
import type { WorkflowPlan } from '../src/workflow/plan/plan.ts';

export type Order =
  | { readonly load: string; readonly timeoutMs?: number }
  /** A workflow file: all its modules. */
  | { readonly plan: string }
  | {
      readonly call?: string;
      readonly tool?: string;
      readonly arguments?: JsonObject;
      readonly module?: string;
      readonly timeoutMs?: number;
      readonly outputSchema?: JsonObject;
    };

const redactor = createRedactor([]);
const runner = createEffectRunner({
  env: {},
  directory: '.',
  functions: { ours: () => 'of the host', broken: 3 as never },
  tools: { ours: tool({ run: () => 'tool of the host' }), wrong: tool({} as never) },
  importTimeoutMs: 500,
});

async function obey(order: Order): Promise<unknown> {
  try {
    if ('plan' in order) return await describeModules(planOf(order.plan));
    if (!('load' in order)) return await run(order);
    const { load, ...options } = order;
    return describeModule(await loadModule(load, options));
  } catch (thrown) {
    return { error: forPerson(toReport(thrown)) };
  }
}

function planOf(file: string): WorkflowPlan {
  const loaded = loadWorkflow(file, nodeFiles(process.cwd()));
  if (loaded.ok) return loaded.plan;
  throw new Error(loaded.diagnostics.map(({ message }) => message).join());
}

type Call = Exclude<Order, { load: string } | { plan: string }>;

async function run(order: Call): Promise<unknown> {
  const result = await runner.run(requestOf(order), {
    signal: new AbortController().signal,
    attempt: 2,
    idempotencyKey: 'key-1',
    run: 'run-1',
    node: 'n',
    path: 'n',
    redactor,
  });
  if (result.ok) return { output: result.output };
  const stamp = { id: 'err_test', at: '2026-11-16T00:00:00Z' };
  const error = forPerson(buildReport(result.failure, { stamp, redactor }));
  return { error, ...(result.output === undefined ? {} : { output: result.output }) };
}

function requestOf(order: Call): EffectRequest {
  const { call, arguments: given = {}, module, timeoutMs, outputSchema } = order;
  const work: EffectInput =
    call === undefined
      ? { type: 'tool', tool: order.tool ?? '', arguments: given }
      : { type: 'call', function: call, arguments: given };
  const node = { type: work.type, name: 'n' };
  return {
    ref: { key: 'key-1', type: work.type, target: 'n' },
    work,
    // has the fields that the runner of effects reads
    node: node as never,
    workflow: 't',
    path: 'n',
    attempt: 2,
    isIdempotent: false,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(module === undefined ? {} : { module }),
  };
}

const results: unknown[] = [];
// parsed from what the test wrote
for (const order of JSON.parse(readFileSync(0, 'utf8')) as Order[]) results.push(await obey(order));
await runner.close();
// ends even if a module left something running, but only after everything is written
process.stdout.write(JSON.stringify(results), () => process.exit(0));
