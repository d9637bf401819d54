/** The command with OpenTelemetry's SDK: what it sends to a receiver, and what it does when there is none. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { ATTRIBUTE, METRIC } from '../../src/telemetry/names.ts';
import { attributesOf, spansIn, type OtlpRequest, type OtlpSpan } from './offline.ts';
import { questions, seriesOf, wrongIn, type OtlpMetric } from './prometheus.ts';
import { openReceiver, type Receiver } from './receiver.ts';

const PACKAGES = join(import.meta.dirname, '../otel-sdk/node_modules');
const CALLER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const SECRET = 'sk-planted-7f3a9c2e5b8d1f4a';

const FLOW = `workflow: { name: flow, entry_point: look, input: { note: { type: string, default: '' } } }
nodes:
  - { name: look, type: script, command: sh, args: ['-c', 'echo "{\\"parent\\": \\"$TRACEPARENT\\"}"'], output: { parent: { type: string } }, routes: [{ to: die }] }
  - { name: die, type: script, command: sh, args: ['-c', 'test -e died || { until test -e seen; do sleep 0.1; done; touch died; kill -9 $PPID; sleep 60; }'], idempotent: true, routes: [{ to: fail }] }
  - { name: fail, type: terminate, status: failed, reason: 'Not today' }
`;

/** Brings every metric of the table: costs of failures, an open breaker, an answer that does not fit, waits. */
const ALL_METRICS = `workflow:
  name: all
  entry_point: crowd
  module: ./tools.mjs
  runtime:
    simulate_price_per_mtok: { input: 3, output: 15 }
    simulate:
      busy: [{ fail: { kind: provider.overloaded } }]
      cut: [{ stream: [Dear], cut: true, usage: { input_tokens: 5000, output_tokens: 100 } }]
      good: [{ answer: fine, usage: { input_tokens: 10, output_tokens: 2 } }]
nodes:
  - name: crowd
    type: for_each
    source: '{{ [1, 2, 3, 4, 5, 6] }}'
    as: item
    agent: { name: member, model: [sim/busy, sim/good], prompt: '{{ item }}', tools: [] }
    routes: [{ to: paid }]
  - name: paid
    model: [sim/cut, { model: sim/good, on: any }]
    prompt: Write.
    tools: []
    routes: [{ to: look }, { on_error: true, to: look }]
  - { name: look, type: tool, tool: look, routes: [{ to: again }] }
  - name: again
    type: script
    command: sh
    args: ['-c', 'test -e tried || { touch tried; exit 1; }']
    idempotent: true
    routes: [{ to: ask }, { on_error: internal.script_error, retry: { max: 1, backoff: none } }]
  - { name: ask, type: human_gate, prompt: On?, options: [{ value: 'yes' }], routes: [{ to: $end }] }
`;

/** No commit failed here: a label of its own for those that do. */
const FAILED_COMMIT: OtlpMetric = {
  name: METRIC.commitDuration,
  unit: 's',
  histogram: { dataPoints: [{ attributes: [{ key: ATTRIBUTE.errorType }] }] },
};

let folder = '';
let receiver: Receiver;

beforeAll(async () => {
  receiver = await openReceiver();
  folder = mkdtempSync(join(tmpdir(), 'errand-otlp-'));
  symlinkSync(PACKAGES, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'flow.yaml'), FLOW);
  writeFileSync(join(folder, 'all.yaml'), ALL_METRICS);
  writeFileSync(
    join(folder, 'tools.mjs'),
    "import { tool } from 'errand';\nexport const look = tool({ run: () => 1 });\n",
  );
  writeFileSync(
    join(folder, 'good.yaml'),
    'workflow: { name: good, entry_point: ok }\nnodes:\n  - { name: ok, type: set, value: fine }\n',
  );
});

afterEach(() => {
  receiver.bodies.length = 0;
});

afterAll(() => {
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function begin(args: readonly string[], env: Record<string, string> = {}) {
  return spawn(process.execPath, [LAUNCHER, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function errand(args: readonly string[], env?: Record<string, string>): Promise<Ended> {
  const child = begin(args, env);
  const exited = once(child, 'exit');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [exit] = (await exited) as [number | null];
  return { exit, stdout, stderr };
}

function legs(spans: readonly OtlpSpan[]): readonly OtlpSpan[] {
  return spans.filter(({ name }) => name.startsWith('invoke_workflow'));
}

describe('errand run with a receiver in the environment', () => {
  it('sends each span once, over a kill and a resume, whatever the exit code', async () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_BSP_SCHEDULE_DELAY: '100',
      TRACEPARENT: CALLER,
      ANTHROPIC_API_KEY: SECRET,
    };
    // killed once the spans that have ended are sent: what dies with it are the open ones
    receiver.onTraces = () => writeFileSync(join(folder, 'seen'), '');
    const killed = await errand(['run', 'flow.yaml', '-i', `note=${SECRET}`], env);
    expect(killed.exit).toBe(null);
    const { stdout } = await errand(['runs', '--quiet']);
    const run = stdout.trim();
    const resumed = await errand(['resume', run, '--quiet'], env);
    expect(resumed.exit).toBe(3);
    const spans = receiver.spans();
    expect(spans.map(({ name }) => name).toSorted()).toEqual([
      'errand.node die',
      'errand.node fail',
      'errand.node look',
      'invoke_workflow flow',
      'sh',
      'sh',
    ]);
    const [leg] = legs(spans);
    expect(leg).toMatchObject({
      traceId: CALLER.slice(3, 35),
      parentSpanId: CALLER.slice(36, 52),
      status: { code: 2 },
    });
    expect(attributesOf(leg as OtlpSpan)).toMatchObject({
      'errand.leg': 2,
      'errand.leg.cause': 'resume',
      'error.type': 'terminate.failed',
    });
    // the first leg died with its process, and the second is linked to it all the same
    const look = spans.find(({ name }) => name === 'errand.node look');
    expect(leg?.links).toMatchObject([{ traceId: look?.traceId, spanId: look?.parentSpanId }]);
    expect([...receiver.metricNames()]).toEqual(
      expect.arrayContaining([
        'errand.run.ended',
        'errand.store.commit.duration',
        'gen_ai.workflow.duration',
      ]),
    );
    const sent = receiver.bodies.join('');
    expect(sent).not.toContain(SECRET);
    expect(sent).not.toContain('process.command_args');
    expect(sent).toContain('{"key":"service.name","value":{"stringValue":"errand"}}');
    const shown = JSON.parse((await errand(['show', run, '--format', 'json'])).stdout) as {
      traceparent: string;
    };
    expect(shown.traceparent).toBe(`00-${leg?.traceId}-${leg?.spanId}-01`);
    const traced = await errand(['trace', run, '--format', 'otlp-json']);
    expect(traced.exit).toBe(0);
    expect((await errand(['trace', run])).stdout).toBe(traced.stdout);
    const offline = spansIn(JSON.parse(traced.stdout) as OtlpRequest);
    expect(legs(offline).map((span) => attributesOf(span)['errand.run.status'])).toEqual([
      'interrupted',
      'failed',
    ]);
    expect(offline.map(({ traceId }) => traceId)).not.toContain(leg?.traceId);
  });

  it('sends every metric of the table over a pause, an answer that fits and one that does not', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
    const paused = await errand(['run', 'all.yaml', '--answer', 'ask=maybe'], env);
    expect(paused.exit).toBe(5);
    const [run = ''] = (await errand(['runs', '--quiet', '--status', 'paused'])).stdout.split('\n');
    const answered = await errand(['answer', run, '--value', 'yes', '--quiet'], env);
    expect([answered.exit, answered.stderr]).toEqual([0, '']);
    expect([...receiver.metricNames()].toSorted()).toEqual(Object.values(METRIC).toSorted());
    // the dashboard and the alert rules of the guide ask for series and labels that were sent
    const series = new Map([
      ...seriesOf([...receiver.metrics(), FAILED_COMMIT]),
      // of `GET /metrics` of a server
      ['errand_waiting', new Set(['reason'])] as const,
    ]);
    expect(questions().flatMap((question) => wrongIn(question, series))).toEqual([]);
  });

  it('costs a line and nothing else when the receiver is away', async () => {
    const calm = await errand(['run', 'good.yaml', '--format', 'json']);
    const away = await errand(['run', 'good.yaml', '--format', 'json'], {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    });
    const shape = (stdout: string): unknown => ({
      ...(JSON.parse(stdout) as object),
      run: '',
      traceparent: '',
    });
    expect(away.exit).toBe(calm.exit);
    expect(shape(away.stdout)).toEqual(shape(calm.stdout));
    expect(away.stderr.split('\n').filter((line) => line.includes('127.0.0.1:9'))).toHaveLength(1);
  });

  it('refuses an unknown run, and doctor says what is missing', async () => {
    expect((await errand(['trace', 'nope'])).exit).toBe(2);
    rmSync(join(folder, 'node_modules'));
    const { stdout } = await errand(['doctor', '--format', 'json'], {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    });
    symlinkSync(PACKAGES, join(folder, 'node_modules'));
    const { findings } = JSON.parse(stdout) as { findings: { check: string; next?: string }[] };
    expect(findings.find(({ check }) => check === 'telemetry')?.next).toContain(
      '@opentelemetry/sdk-node',
    );
    const wrong = await errand(['doctor', '--format', 'json'], {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318',
    });
    expect(JSON.parse(wrong.stdout)).toMatchObject({
      findings: expect.arrayContaining([
        expect.objectContaining({ check: 'telemetry', state: 'wrong' }),
      ]) as unknown,
    });
  });
});

describe('errand serve', () => {
  it('takes the trace of a request, and logs runs and failures as JSON', async () => {
    writeFileSync(join(folder, 'died'), '');
    const server = begin(['serve', 'flow.yaml', '--port', '0', '--format', 'json'], {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      ERRAND_LOG: 'info',
      ERRAND_TOKEN: 'a-token-of-the-tests',
    });
    const exited = once(server, 'exit');
    const log = text(server.stderr);
    const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
    const { url } = JSON.parse(line) as { url: string };
    const response = await fetch(`${url}/v1/runs`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer a-token-of-the-tests',
        'content-type': 'application/json',
        prefer: 'wait=60',
        traceparent: CALLER,
      },
      body: JSON.stringify({ workflow: 'flow', input: { note: SECRET } }),
    });
    const { run } = (await response.json()) as { run: string };
    server.kill('SIGTERM');
    await exited;
    const own = receiver.spans().filter((span) => attributesOf(span)['errand.run.id'] === run);
    expect(legs(own)).toMatchObject([
      { traceId: CALLER.slice(3, 35), parentSpanId: CALLER.slice(36, 52) },
    ]);
    const lines = (await log)
      .split('\n')
      .filter((each) => each.startsWith('{'))
      .map((each) => JSON.parse(each) as Record<string, unknown>);
    expect(
      lines.map(({ event, kind, node, trace_id: trace }) => [event, kind, node, trace]),
    ).toEqual([
      ['run:started', undefined, undefined, CALLER.slice(3, 35)],
      ['node:failed', 'terminate.failed', 'fail', CALLER.slice(3, 35)],
      ['run:failed', 'terminate.failed', 'fail', CALLER.slice(3, 35)],
    ]);
    expect(await log).not.toContain(SECRET);
  });
});
