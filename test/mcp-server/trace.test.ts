/** The context of a trace from an MCP client, through a run, to an MCP server. */
import { describe, expect, test } from 'vitest';
import { SERVER } from '../mcp/harness.ts';
import { afterThisTest } from '../left-behind.ts';
import { recordTelemetry } from '../telemetry/otel.ts';
import { embedded, ERAS, folderWith, overStdio, type Connected } from './clients.ts';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const LATER = '00-1af7651916cd43dd8448eb211c80319d-c7ad6b7169203332-01';
const CAME = { traceparent: PARENT, tracestate: 'vendor=1', baggage: 'tenant=acme' };

// JSON is YAML
const FLOW = JSON.stringify({
  workflow: {
    name: 'traced',
    entry_point: 'before',
    runtime: { mcp_servers: { s: { command: process.execPath, args: [SERVER], env: {} } } },
  },
  nodes: [
    { name: 'before', type: 'tool', tool: 's/trace', routes: [{ to: 'ask' }] },
    {
      name: 'ask',
      type: 'human_gate',
      prompt: 'On?',
      options: [{ label: 'Yes', value: 'yes' }],
      routes: [{ to: 'after' }],
    },
    { name: 'after', type: 'tool', tool: 's/trace' },
  ],
  output: { before: '{{ before.output }}', after: '{{ after.output }}' },
});

async function played(agent: Connected): Promise<{ before: string; after: string }> {
  const { structuredContent: paused } = await agent.call('traced', {}, { _meta: CAME });
  expect(paused.status).toBe('paused');
  const { structuredContent } = await agent.call(
    'answer_question',
    { run: paused.run, value: 'yes' },
    { _meta: { traceparent: LATER } },
  );
  expect(structuredContent).toMatchObject({ run: paused.run, status: 'completed' });
  return structuredContent.output;
}

/** Node, and what the client says about itself, may add keys of their own. */
function contextIn(text: string): Record<string, string> {
  // true: the tool prints it
  return JSON.parse(text) as Record<string, string>;
}

describe.each(ERAS)('%s', (era) => {
  test('passes on what came in where nobody traces, each leg that of its own call', async () => {
    const agent = await embedded(folderWith({ 'traced.yaml': FLOW })).connect({ era });
    const { before, after } = await played(agent);
    expect(contextIn(before)).toEqual(CAME);
    expect(contextIn(after)).toEqual({ traceparent: LATER });
  });

  test('is the parent of a leg where the host traces, and the tool gets the span of its call', async () => {
    const recorded = recordTelemetry();
    afterThisTest(() => recorded.close());
    const agent = await embedded(folderWith({ 'traced.yaml': FLOW })).connect({ era });
    const { before, after } = await played(agent);
    const spans = await recorded.spans();
    const legs = spans.filter(({ name }) => name === 'invoke_workflow traced');
    expect(legs.map(({ parentSpanContext: parent }) => [parent?.traceId, parent?.spanId])).toEqual(
      [PARENT, LATER].map((text) => text.split('-').slice(1, 3)),
    );
    const calls = spans.filter(({ name }) => name.startsWith('execute_tool'));
    const ids = calls.map((span) => span.spanContext());
    expect([before, after].map((text) => contextIn(text)['traceparent'])).toEqual(
      ids.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
    );
    expect(ids.map(({ traceId }) => traceId)).toEqual(
      [PARENT, LATER].map((text) => text.split('-')[1]),
    );
  });
});

test('stdio: a call that brings none belongs to the trace of the command', async () => {
  const env = { TRACEPARENT: PARENT, TRACESTATE: 'vendor=1', BAGGAGE: 'tenant=acme' };
  const agent = await overStdio(folderWith({ 'traced.yaml': FLOW }), { env });
  const { run } = await agent.data('traced');
  const answer = { run, value: 'yes' };
  const { structuredContent } = await agent.call('answer_question', answer, {
    _meta: { traceparent: LATER },
  });
  const { before, after } = structuredContent.output;
  expect([before, after].map(contextIn)).toEqual([CAME, { traceparent: LATER }]);
});

test('stdio: passes on what came in', async () => {
  const agent = await overStdio(folderWith({ 'traced.yaml': FLOW }));
  const { before, after } = await played(agent);
  expect([before, after].map(contextIn)).toEqual([CAME, { traceparent: LATER }]);
});
