/** What Temporal itself holds and shows of a run, and what happens at the edges of what it carries. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TemporalBackend } from '../../src/engine/temporal/client.ts';
import type { FunctionContext } from '../../src/effects/function/call-function.ts';
import { isKind } from '../../src/errors/thrown/errand-error.ts';
import { toReport } from '../../src/errors/thrown/to-report.ts';
import type { WorkflowPlan } from '../../src/workflow/plan/plan.ts';
import { planOfTexts } from '../engine/plan.ts';
import { until } from './killing.ts';
import { temporalConfig } from '../../src/engine/temporal/config.ts';
import { openErrand } from '../../src/index.ts';
import { textsIn } from './read-history.ts';
import { openStage, PACKAGES, PATIENCE_MS, whyNot, type Stage } from './stage.ts';
import { extendedProject } from './extensions.ts';
import { mutualTls, pemFile } from './tls.ts';

const skipped = whyNot('what Temporal shows of a run, and the sizes it carries');

function plan(node: string): WorkflowPlan {
  const text = `workflow: {name: shown, entry_point: a}\nagents:\n  - ${node}`;
  return planOfTexts({ 'main.yaml': text });
}

const SEEN = new Set<string>();
const NOISE_CHARS = 1_500_000;

/** Nothing makes it smaller. */
function noise(): string {
  return randomBytes((NOISE_CHARS / 4) * 3).toString('base64');
}

const functions = {
  noise: () => ({ size: NOISE_CHARS, text: noise() }),
  once: (_: unknown, { attempt, idempotencyKey }: FunctionContext) => {
    if (attempt === 0 && !SEEN.has(idempotencyKey)) {
      SEEN.add(idempotencyKey);
      throw Object.assign(new Error('Not yet'), { kind: 'external.not_yet' });
    }
    return {};
  },
  echo: (input: unknown) => input,
  missing: () => {
    throw Object.assign(new Error('No such order'), { kind: 'external.order.missing' });
  },
  large: (input: unknown) => ({ text: 'x'.repeat(Number((input as { chars: number }).chars)) }),
};

describe.skipIf(skipped !== undefined)('a run at a Temporal server', { timeout: 300_000 }, () => {
  let stage: Stage;
  let driver: TemporalBackend;
  // Temporal's own client, as anyone would use it
  let client: { workflow: { list(q: object): AsyncIterable<never>; getHandle(id: string): never } };
  let close: () => Promise<void>;

  beforeAll(async () => {
    stage = await openStage('boundary');
    await stage.worker({ functions });
    driver = await stage.client();
    const { Connection, Client } = createRequire(join(PACKAGES, 'package.json'))(
      '@temporalio/client',
    );
    const connection = await Connection.connect({ address: stage.config.address });
    client = new Client({ connection, namespace: stage.config.namespace });
    close = () => connection.close();
  });

  afterAll(async () => {
    await close?.();
    await stage?.close();
  });

  it('is found by workflow, status and kind, and has them in its memo', async () => {
    const run = await driver.start(plan('{name: a, type: call, function: missing}'), {});
    await run.result();
    const query = `ErrandWorkflow = 'shown' AND ErrandStatus = 'failed' AND ErrandKind = 'external.order.missing'`;
    const found: { workflowId: string; memo: object }[] = [];
    await until(async () => {
      for await (const each of client.workflow.list({ query })) found.push(each);
      return found.length > 0;
    });
    expect(found[0]).toMatchObject({
      workflowId: run.id,
      memo: { errand: { workflow: 'shown', status: 'failed', kind: 'external.order.missing' } },
    });
  });

  it.each([
    ['function', '{name: a, type: call, function: nobody, ROUTES}'],
    ['tool', '{name: a, type: tool, tool: nobody, ROUTES}'],
  ])('ends where the worker lacks a %s, whatever its routes say', async (noun, node) => {
    const routes = 'routes: [{to: $end}, {on_error: true, to: $end}]';
    const run = await driver.start(plan(node.replace('ROUTES', routes)), {});
    expect(await run.result()).toMatchObject({
      status: 'failed',
      error: { kind: 'run.resume_mismatch', details: { missing: [`the ${noun} nobody`] } },
    });
  });

  it('takes a name that a template gave for the work of the node', async () => {
    const node =
      "{name: a, type: call, function: \"{{ 'no' ~ 'body' }}\", routes: [{to: $end}, {on_error: validation.node_config, to: $end}]}";
    const run = await driver.start(plan(node), {});
    expect(await run.result()).toMatchObject({ status: 'completed' });
  });

  it('is started once under an id of one’s own, whenever it is asked for', async () => {
    const again = plan('{name: a, type: call, function: once, arguments: {n: 1}}');
    const id = `own-${randomBytes(6).toString('hex')}`;
    const handles = await Promise.all([0, 1].map(() => driver.start(again, {}, { id })));
    const results = await Promise.all(handles.map((handle) => handle.result()));
    expect(results).toMatchObject([
      { status: 'failed', error: { kind: 'external.not_yet' } },
      { status: 'failed', error: { kind: 'external.not_yet' } },
    ]);
    // ended, it is still the run that is there
    const later = await driver.start(again, {}, { id });
    expect(await later.result()).toEqual(results[0]);
    const errand = await openErrand({ temporal: { ...stage.config, queryMs: PATIENCE_MS } });
    expect(await errand.get(id)).toMatchObject({ run: id, workflow: 'shown', status: 'failed' });
    const refused = driver.start(
      planOfTexts({
        'main.yaml':
          'workflow: {name: other, entry_point: a}\nagents:\n  - {name: a, type: set, value: 1}',
      }),
      {},
      { id },
    );
    await expect(refused).rejects.toMatchObject({ kind: 'validation.input' });
    await expect(driver.start(again, {}, { id: '../x' })).rejects.toMatchObject({
      kind: 'validation.input',
    });
    await expect(errand.get('nobody')).rejects.toMatchObject({ kind: 'run.not_found' });
    await errand.close();
  });

  it('shows each failure as what it is, without a stack or a path of this machine', async () => {
    const run = await driver.start(plan('{name: a, type: call, function: missing}'), {});
    await run.result();
    const handle: { fetchHistory(): Promise<{ events: object[] }> } = client.workflow.getHandle(
      run.id,
    );
    const { events } = await handle.fetchHistory();
    const text = JSON.stringify(events);
    expect(text).toContain('"type":"external.order.missing"');
    expect(text).not.toContain('.ts:');
    expect(text).not.toContain(process.cwd());
  });

  it('never gets the value of a key: a plan with one is refused, an input goes without', async () => {
    const secret = 'sk-planted-1234567890';
    const careful = await stage.client({ secrets: [secret] });
    const holding = plan(`{name: a, type: call, function: echo, arguments: {key: ${secret}}}`);
    const started = careful.start(holding, {}).then(
      () => 'started',
      (refusal: unknown) => (isKind(refusal, 'validation.node_config') ? 'refused' : refusal),
    );
    expect(await started).toBe('refused');
    const reading = planOfTexts({
      'main.yaml': `workflow: {name: shown, entry_point: a, input: {note: {type: string}}}\nagents:\n  - {name: a, type: call, function: echo, arguments: {note: "{{ workflow.input.note }}"}}`,
    });
    const run = await careful.start(reading, { note: `the key is ${secret}` });
    expect(await run.result()).toEqual({
      status: 'completed',
      output: { note: 'the key is [redacted]' },
    });
    const handle: { fetchHistory(): Promise<{ events: object[] }> } = client.workflow.getHandle(
      run.id,
    );
    const { events } = await handle.fetchHistory();
    expect(textsIn(events)).toContain('[redacted]');
    expect(textsIn(events)).not.toContain(secret);
  });

  it('fails typed on an output that is too large, and carries one that is not', async () => {
    const large = (chars: number): Promise<{ result(): Promise<{ status: string }> }> =>
      driver.start(
        plan(`{name: a, type: call, function: large, arguments: {chars: ${chars}}}`),
        {},
      );
    expect(await (await large(3_000_000)).result()).toMatchObject({
      status: 'failed',
      error: {
        kind: 'tool.output_malformed',
        outcome: 'partial',
        details: { maxBytes: 1_900_000 },
      },
    });
    expect((await (await large(1_800_000)).result()).status).toBe('completed');
  });

  it('fails typed on a request that is too large, before it is made', async () => {
    const text = 'x'.repeat(1_000_000);
    const whole = planOfTexts({
      'main.yaml': `workflow: {name: shown, entry_point: a, input: {text: {type: string}}}\nagents:\n  - {name: a, type: call, function: large, arguments: {chars: 1, one: "{{ workflow.input.text }}", two: "{{ workflow.input.text }}"}}`,
    });
    const run = await driver.start(whole, { text });
    expect(await run.result()).toMatchObject({
      status: 'failed',
      error: { kind: 'tool.input_invalid', outcome: 'not_started' },
    });
  });

  it('continues with more than one payload can hold, after a failure and as new', async () => {
    const nodes = ['noise', 'noise', 'once'].map(
      (name, index) =>
        `  - {name: n${index}, type: call, function: ${name}, routes: [{to: ${index === 2 ? '$end' : `n${index + 1}`}}]}`,
    );
    const whole = planOfTexts({
      'main.yaml': `workflow: {name: shown, entry_point: n0}\nagents:\n${nodes.join('\n')}\noutput: {sizes: "{{ [n0.output.size, n1.output.size] }}"}`,
    });
    const restless = await stage.client({ maxHistoryEvents: 14 });
    const run = await restless.start(whole, {});
    expect(await run.result()).toMatchObject({
      status: 'failed',
      error: { kind: 'external.not_yet' },
    });
    expect(await (await restless.resume(run.id)).result()).toEqual({
      status: 'completed',
      output: { sizes: [NOISE_CHARS, NOISE_CHARS] },
    });
  });

  it('is refused with an input that is too large', async () => {
    const whole = planOfTexts({
      'main.yaml': `workflow: {name: shown, entry_point: a, input: {text: {type: string}}}\nagents:\n  - {name: a, type: set, value: 1}`,
    });
    const text = noise() + noise();
    expect(await driver.start(whole, { text }).then(() => undefined, toReport)).toMatchObject({
      kind: 'validation.input',
      outcome: 'not_started',
      details: { maxBytes: 1_900_000 },
    });
  });

  it('ends typed, and does not loop, where our own code breaks in the workflow', async () => {
    const whole = plan('{name: a, type: call, function: missing}');
    const broken = { ...whole, nodes: [] } as WorkflowPlan;
    const run = await driver.start(broken, {});
    expect(await run.result()).toMatchObject({
      status: 'failed',
      error: { kind: 'internal.invariant', category: 'defect' },
    });
  });

  it('is carried on through TLS with certificates on both sides', async () => {
    const front = await mutualTls(stage.config.address);
    try {
      const env = {
        TEMPORAL_ADDRESS: front.address,
        TEMPORAL_NAMESPACE: stage.config.namespace,
        TEMPORAL_TASK_QUEUE: `${stage.config.taskQueue}-tls`,
        TEMPORAL_TLS_SERVER_NAME: 'server.errand.test',
        TEMPORAL_TLS_SERVER_CA_CERT_PATH: pemFile('ca.pem'),
        TEMPORAL_TLS_CLIENT_CERT_PATH: pemFile('client.pem'),
        TEMPORAL_TLS_CLIENT_KEY_PATH: pemFile('client.key'),
      };
      const config = temporalConfig({}, env, PACKAGES);
      const worker = await stage.worker({ config, functions });
      const afar = await stage.client({ config });
      const run = await afar.start(
        plan('{name: a, type: call, function: echo, arguments: {n: 1}}'),
        {},
      );
      expect(await run.result()).toEqual({ status: 'completed', output: { n: 1 } });
      await afar.close();
      await worker.stop();
    } finally {
      await front.close();
    }
  });

  it('is carried on at the server of a profile, whose key stays out of its history', async () => {
    const key = 'key-of-the-profile-42';
    const folder = mkdtempSync(join(tmpdir(), 'errand-profile-'));
    const { address, namespace } = stage.config;
    const toml = `[profile.own]\naddress = "${address}"\nnamespace = "${namespace}"\napi_key = "${key}"\ntls = { disabled = true }\n`;
    writeFileSync(join(folder, 'temporal.toml'), toml);
    const env = {
      TEMPORAL_CONFIG_FILE: join(folder, 'temporal.toml'),
      TEMPORAL_PROFILE: 'own',
      TEMPORAL_TASK_QUEUE: `${stage.config.taskQueue}-profile`,
    };
    try {
      const config = temporalConfig({}, env, PACKAGES);
      const leaking = { leak: () => ({ text: `the key is ${key}` }) };
      const worker = await stage.worker({ config, functions: leaking });
      const there = await stage.client({ config });
      const run = await there.start(plan('{name: a, type: call, function: leak}'), {
        note: `the key is ${key}`,
      });
      expect(await run.result()).toMatchObject({ status: 'completed' });
      const handle: { fetchHistory(): Promise<{ events: object[] }> } = client.workflow.getHandle(
        run.id,
      );
      const { events } = await handle.fetchHistory();
      expect(textsIn(events)).toContain('the key is [redacted]');
      expect(textsIn(events)).not.toContain(key);
      await there.close();
      await worker.stop();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('has the extensions that its files name, for as long as the worker is there', async () => {
    const project = extendedProject();
    const config = { ...stage.config, taskQueue: `${stage.config.taskQueue}-extended` };
    const worker = await stage.worker({ config, base: project.folder });
    const there = await stage.client({ config });
    const results = async (file: string, input = {}): Promise<unknown> =>
      (await there.start(await project.plan(file), input)).result();
    try {
      // side by side: it is started once
      expect(
        await Promise.all([
          results('prices.yaml', { currency: 'EUR' }),
          results('calling.yaml'),
          results('prices.yaml', { currency: 'XXX' }),
        ]),
      ).toMatchObject([
        { status: 'completed', output: { usd: 10 } },
        { status: 'completed', output: { usd: 10 } },
        { status: 'failed', error: { kind: 'acme.no_rate' } },
      ]);
      expect(await results('broken.yaml')).toMatchObject({
        status: 'failed',
        error: { kind: 'extension.lifecycle', outcome: 'not_started' },
      });
      expect(project.diary()).toEqual(['start']);
      await worker.stop();
      expect(project.diary()).toEqual(['start', 'stop']);
    } finally {
      await worker.stop();
      project.close();
    }
  });
});
