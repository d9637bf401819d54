/** Runs with spans: an engine in a folder of its own, and a file with one of everything. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EffectClock } from '../../src/effects/clock.ts';
import { openEngine, type Engine } from '../../src/engine/errand.ts';
import type { EngineOptions } from '../../src/engine/open-backend.ts';
import { raise } from '../../src/errors/thrown/errand-error.ts';
import { tool } from '../../src/workflow/authoring/define-tool.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { traceRun } from '../../src/telemetry/otlp/trace-run.ts';
import type { OtlpRequest } from './offline.ts';

export interface Place {
  readonly folder: string;
  readonly engine: Engine;
  readonly faults: unknown[];
  /** The output of `errand trace` for the run, without the command. */
  offline(run: string): Promise<OtlpRequest>;
  close(): Promise<void>;
}

export async function openPlace(
  files: Readonly<Record<string, string>>,
  options: Partial<EngineOptions> = {},
  clock?: EffectClock,
): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'errand-telemetry-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const faults: unknown[] = [];
  const telemetry = createTelemetry({
    env: options.env ?? {},
    ...(clock === undefined ? {} : { now: () => clock.now() }),
    onFault: (thrown) => faults.push(thrown),
  });
  const engine = await openEngine(
    { store: 'memory', directory: folder, telemetry, onWarning: () => undefined, ...options },
    clock,
  );
  return {
    folder,
    engine,
    faults,
    offline: async (run) => {
      const { record, events, status } = await engine.stored(run);
      // written by the function in question
      return JSON.parse(JSON.stringify(traceRun({ record, events, status }))) as OtlpRequest;
    },
    close: async () => {
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One of everything that has a span: an agent with a tool, a script, groups, a child, a gate, failures. */
export const EVERYTHING = {
  'everything.yaml': `workflow:
  name: everything
  entry_point: writer
  runtime:
    simulate_price_per_mtok: { input: 3, output: 15 }
    simulate:
      fast:
        - { fail: { kind: provider.overloaded } }
      slow:
        - { tool_calls: [{ name: look, arguments: { id: 7 } }], usage: { input_tokens: 50, output_tokens: 5 } }
        - { answer: done, usage: { input_tokens: 70, output_tokens: 9 } }
nodes:
  - name: writer
    type: agent
    model: [sim/fast, sim/slow]
    prompt: hello
    tools: [look]
    max_tokens: 100
    routes: [{ to: shell }]
  - name: shell
    type: script
    command: sh
    args: ['-c', 'echo "{\\"parent\\": \\"$TRACEPARENT\\"}"']
    output: { parent: { type: string } }
    routes: [{ to: flaky }]
  - name: flaky
    type: call
    function: flaky
    routes: [{ on_error: order.late, retry: { max: 2, initial_seconds: 1, jitter: 0 } }, { to: broken }]
  - name: broken
    type: call
    function: broken
    routes: [{ on_error: order.missing, to: each }, { to: each }]
  - name: each
    type: for_each
    source: '{{ [1, 2] }}'
    as: item
    failure_mode: continue_on_error
    agent: { name: member, type: call, function: odd, arguments: { n: '{{ item }}' } }
    routes: [{ to: inner }]
  - name: inner
    type: workflow
    workflow: ./inner.yaml
    routes: [{ to: ask }]
  - name: ask
    type: human_gate
    prompt: Publish?
    options: [{ value: 'yes' }, { value: 'no' }]
    routes: [{ to: $end }]
output: { parent: '{{ shell.output.parent }}' }
`,
  'inner.yaml': `workflow: { name: inner, entry_point: both }
nodes:
  - { name: both, type: parallel, agents: [left, right], routes: [{ to: $end }] }
  - { name: left, type: set, value: 1 }
  - { name: right, type: tool, tool: look, arguments: { id: 1 } }
`,
};

/** The functions and tools of that file. Each file of runs gets its own: `flaky` fails once. */
export function everythingElse(): Pick<EngineOptions, 'functions' | 'tools'> {
  let tries = 0;
  return {
    functions: {
      flaky: () => (tries++ === 0 ? raise('order.late', 'The order is late') : { ok: true }),
      broken: () => raise('order.missing', 'There is no order'),
      odd: (input: unknown) =>
        (input as { n: number }).n % 2 === 0
          ? raise('order.even', 'The number is even')
          : { odd: true },
    },
    tools: { look: tool({ writes: false, input: {}, run: () => ({ found: true }) }) },
  };
}
