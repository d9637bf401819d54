/** The attributes of each kind of span: models, tools of two sorts, scripts, groups and the spans around them. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { VERSION } from '../../src/engine/version.ts';
import { tool } from '../../src/workflow/authoring/define-tool.ts';
import { SERVER } from '../mcp/harness.ts';
import { SDKS } from '../mcp/tools.ts';
import { requireSdks } from '../sdk-parity/install.ts';
import { liveComparable, offlineComparable, spansIn } from './offline.ts';
import { recordTelemetry, type FinishedSpan, type Recorded } from './otel.ts';
import { openPlace, type Place } from './runs.ts';

const USAGE = {
  input_tokens: 50,
  output_tokens: 20,
  cached_tokens: 30,
  cache_write_tokens: 10,
  reasoning_tokens: 5,
};
const limited = { status: 429, provider: 'openai', retry_after: 7, message: 'Slow down' };
const pay = { tool_calls: [{ name: 'pay', arguments: { to: 'argument-word' } }] };

// JSON is YAML
const FLOW = JSON.stringify({
  workflow: {
    name: 'flow',
    entry_point: 'clerk',
    runtime: {
      mcp_servers: { s: { command: process.execPath, args: [SERVER], env: {} } },
      simulate_price_per_mtok: { input: 3, output: 15 },
      simulate: {
        busy: [{ fail: limited }],
        good: [{ ...pay, usage: USAGE }, pay, { answer: { done: true } }],
      },
    },
  },
  nodes: [
    {
      name: 'clerk',
      model: ['sim/busy', { model: 'sim/good', on: 'any' }],
      prompt: 'prompt-word',
      tools: ['pay'],
      policy: { ask: ['pay'] },
      max_tokens: 100,
      temperature: 0.5,
      output: { done: { type: 'boolean' } },
      routes: [{ to: 'sum' }],
    },
    {
      name: 'sum',
      type: 'tool',
      tool: 's/add',
      arguments: { a: 1, b: 2 },
      routes: [{ to: 'each' }],
    },
    {
      name: 'each',
      type: 'for_each',
      source: '{{ [0, 4] }}',
      as: 'code',
      max_concurrent: 1,
      failure_mode: 'continue_on_error',
      agent: {
        name: 'shell',
        type: 'script',
        command: '/bin/sh',
        args: ['-c', 'exit {{ code }}'],
      },
    },
  ],
});

let recorded: Recorded;
let place: Place | undefined;

beforeEach(() => {
  requireSdks();
  recorded = recordTelemetry();
});
afterEach(async () => {
  await place?.close();
  await recorded.close();
});

it('has what the table of spans lists, and usage and cost on calls alone', async () => {
  const paid = tool({ writes: true, input: { type: 'object' }, run: () => 'paid' });
  place = await openPlace({ 'flow.yaml': FLOW }, { tools: { pay: paid } });
  symlinkSync(join(SDKS, 'node_modules'), join(place.folder, 'node_modules'));
  const { engine } = place;
  const run = await engine.start(await engine.load('flow.yaml'));
  expect(await run.result()).toMatchObject({ status: 'paused' });
  const next = await engine.answer(run.id, { value: { approve: { for: 'run' } } });
  expect(await next?.result()).toMatchObject({ status: 'completed' });
  const spans = await recorded.spans();
  const about = { 'errand.run.id': run.id, 'gen_ai.workflow.name': 'flow' };
  for (const { attributes, instrumentationScope: scope } of spans)
    expect([attributes, scope]).toMatchObject([about, { name: 'errand', version: VERSION }]);
  const own = (name: string): readonly string[] =>
    spans.filter((span) => span.name === name).map(wordsOf);
  expect({
    busy: own('chat busy'),
    good: own('chat good').slice(0, 1),
    pay: own('execute_tool pay'),
    sum: own('execute_tool s/add'),
    sh: own('sh'),
    each: own('errand.group each'),
    clerk: own('invoke_agent clerk'),
    shell: own('errand.node shell'),
  }).toMatchInlineSnapshot(`
    {
      "busy": [
        "client errand.attempt=0 errand.effect.key=* errand.error.category="transient" errand.error.outcome="failed" errand.error.retryable=true errand.error.rule="status.429" errand.retry_after_ms=7000 error.type="provider.rate_limited" gen_ai.operation.name="chat" gen_ai.output.type="json" gen_ai.provider.name="sim" gen_ai.request.max_tokens=100 gen_ai.request.model="busy" gen_ai.request.stream=true gen_ai.request.temperature=0.5 http.response.status_code=429",
      ],
      "clerk": [
        "internal errand.attempt=0 errand.node.path="clerk" gen_ai.agent.name="clerk" gen_ai.operation.name="invoke_agent"",
        "internal errand.attempt=0 errand.node.path="clerk" gen_ai.agent.name="clerk" gen_ai.operation.name="invoke_agent"",
      ],
      "each": [
        "internal errand.group.failed=1 errand.group.members=2 errand.group.mode="continue_on_error" errand.node.path="each"",
      ],
      "good": [
        "client errand.attempt=1 errand.cost.estimated=false errand.cost_usd_micros=450 errand.effect.key=* gen_ai.operation.name="chat" gen_ai.output.type="json" gen_ai.provider.name="sim" gen_ai.request.max_tokens=100 gen_ai.request.model="good" gen_ai.request.stream=true gen_ai.request.temperature=0.5 gen_ai.response.finish_reasons=["tool_calls"] gen_ai.response.model="good" gen_ai.usage.cache_creation.input_tokens=10 gen_ai.usage.cache_read.input_tokens=30 gen_ai.usage.input_tokens=50 gen_ai.usage.output_tokens=20 gen_ai.usage.reasoning.output_tokens=5",
      ],
      "pay": [
        "internal errand.attempt=0 errand.effect.key=* gen_ai.operation.name="execute_tool" gen_ai.tool.call.id="call_good_0_0" gen_ai.tool.name="pay" gen_ai.tool.type="function"",
        "internal errand.attempt=0 errand.effect.key=* errand.grant="clerk/pay#1.1" gen_ai.operation.name="execute_tool" gen_ai.tool.call.id="call_good_1_0" gen_ai.tool.name="pay" gen_ai.tool.type="function"",
      ],
      "sh": [
        "client errand.attempt=0 errand.effect.key=* process.executable.name="sh" process.exit.code=0 process.pid=*",
        "client errand.attempt=0 errand.effect.key=* errand.error.category="unknown" errand.error.outcome="failed" error.type="internal.script_error" process.executable.name="sh" process.exit.code=4 process.pid=*",
      ],
      "shell": [
        "internal errand.attempt=0 errand.node.path="each[0]/shell" errand.node.type="script"",
        "internal errand.attempt=0 errand.error.id=* errand.node.path="each[1]/shell" errand.node.type="script" errand.route.bucket="default" errand.route.move="propagate" error.type="internal.script_error"",
      ],
      "sum": [
        "client errand.attempt=0 errand.effect.key=* gen_ai.operation.name="execute_tool" gen_ai.tool.name="s/add" gen_ai.tool.type="extension" mcp.method.name="tools/call" mcp.protocol.version="2025-11-25" network.transport="pipe"",
      ],
    }
  `);
  const counted = spans.filter(({ attributes }) =>
    Object.keys(attributes).some((key) => /usage|cost/.test(key)),
  );
  expect(new Set(counted.map(({ name }) => name.split(' ')[0]))).toEqual(new Set(['chat']));
  const said = JSON.stringify(spans.map(({ attributes, status }) => [attributes, status]));
  for (const word of ['prompt-word', 'argument-word', '/bin', SERVER, '"-c"'])
    expect(said).not.toContain(word);
  const offline = spansIn(await place.offline(run.id));
  expect(offlineComparable(offline)).toEqual(liveComparable(spans));
});

const COMMON = new Set(['errand.run.id', 'gen_ai.workflow.name']);
const ANY = /^(?:errand\.effect\.key|errand\.error\.id|process\.pid)$/;

/** Its kind and its own attributes; what differs from run to run is only known to be there. */
function wordsOf({ kind, attributes }: FinishedSpan): string {
  const own = Object.entries(attributes)
    .filter(([key]) => !COMMON.has(key))
    .map(([key, value]) => `${key}=${ANY.test(key) ? '*' : JSON.stringify(value)}`);
  return [kind === CLIENT ? 'client' : 'internal', ...own.toSorted()].join(' ');
}

const CLIENT = 2;
