/** Workflows in code are checked as files are, before anything of them runs. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toReport } from '../src/errors/thrown/to-report.ts';
import type { ErrorReport } from '../src/errors/report/report.ts';
import { openErrand, workflow, type Errand, type RunnableWorkflow } from '../src/index.ts';

const BINARY = join(import.meta.dirname, '..', 'bin', 'errand.mjs');

let errand: Errand;
let folder = '';

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'errand-code-first-'));
  errand = await openErrand({ store: 'memory', directory: folder });
});

afterEach(async () => {
  await errand.close();
  rmSync(folder, { recursive: true, force: true });
});

async function refusalOf(flow: RunnableWorkflow): Promise<ErrorReport> {
  const thrown: unknown = await errand.start(flow).then(
    () => new Error('it started'),
    (refusal: unknown) => refusal,
  );
  expect(await errand.list()).toEqual([]);
  return toReport(thrown);
}

const order = { order: { type: 'string', default: 'A-1' } } as const;

describe('start', () => {
  it('refuses a template that reads what is not there, and says where', async () => {
    const report = await refusalOf(
      workflow({
        name: 'refund',
        entryPoint: 'a',
        input: order,
        nodes: [{ name: 'a', type: 'set', value: '{{ workflow.input.oder }}' }],
      }),
    );
    expect(report).toMatchObject({
      kind: 'validation.template',
      message: 'nodes[0].value: `workflow.input` has no `oder`',
      location: { file: 'code:refund', pointer: '/nodes/0/value' },
      details: {
        code: 'unknown-input',
        path: 'nodes[0].value',
        suggestion: 'workflow.input.order',
      },
    });
  });

  it('tells every problem with its place', async () => {
    const report = await refusalOf(
      workflow({
        name: 'refund',
        entryPoint: 'a',
        onError: [{ onError: true, halt: { message: '{{ nobody.said }}' } }],
        nodes: [
          {
            name: 'a',
            type: 'set',
            value: '{{ nope',
            routes: [{ to: 'b', when: 'output.x = 1' }, { to: 'b' }],
          },
          {
            name: 'b',
            type: 'call',
            function: 'unknown',
            arguments: { order_id: '{{ workflow.input.id }}' },
          },
        ],
        forEach: [
          {
            name: 'each',
            source: 'b.output',
            as: 'one',
            agent: { name: 'm', prompt: '{{ two }}', model: 'nobody/x' },
          },
        ],
        output: { camelKey: '{{ c.output }}' },
      }),
    );
    const reported = report.details?.['diagnostics'] as { path: string; code: string }[];
    expect(reported.map(({ path, code }) => `${path} ${code}`).toSorted()).toEqual([
      'forEach[0].agent.model unknown-model',
      'forEach[0].agent.prompt unknown-name',
      'forEach[0].source never-ran',
      'nodes[0].routes[0].when template-syntax',
      'nodes[0].value template-syntax',
      'nodes[1].arguments.order_id unknown-input',
      'nodes[1].function unknown-function',
      'onError[0].halt.message unknown-name',
      'output.camelKey unknown-name',
    ]);
    for (const { path } of reported.slice(0, 8)) expect(report.message).toContain(`${path}: `);
    expect(report.message).not.toContain('more problem');
  });

  it('checks the workflows that it calls, with what they inherit', async () => {
    const child = workflow({
      name: 'child',
      entryPoint: 'a',
      input: { n: { type: 'number' } },
      nodes: [{ name: 'a', prompt: '{{ workflow.input.m }}' }],
    });
    const parent = (inputMapping: object): RunnableWorkflow =>
      workflow({
        name: 'parent',
        entryPoint: 'call',
        runtime: { defaultModel: 'sim/x', simulate: { x: [{ answer: 'ok' }] } },
        // as a program without types may write it
        nodes: [
          {
            name: 'call',
            type: 'workflow',
            workflow: child,
            inputMapping: inputMapping as { n: 1 },
          },
        ],
      });
    expect(await refusalOf(parent({ n: 1 }))).toMatchObject({
      message: 'nodes[0].prompt: `workflow.input` has no `m`',
      location: { file: 'code:child' },
    });
    expect((await refusalOf(parent({}))).message).toContain('nodes[0]');
  });

  it('knows the models that the host registers', async () => {
    const flow = workflow({
      name: 'house',
      entryPoint: 'a',
      nodes: [{ name: 'a', model: 'house/small', prompt: 'hi', tools: [] }],
    });
    expect((await refusalOf(flow)).details).toMatchObject({ code: 'unknown-model' });
    const own = await openErrand({ store: 'memory', providers: { house: () => ({}) } });
    expect(await own.validate(flow)).toMatchObject({ isValid: true });
    await own.close();
  });
});

describe('validate', () => {
  it('says of a workflow in code what the command says of the same file', async () => {
    const flow = workflow({
      name: 'same',
      entryPoint: 'ask',
      input: order,
      runtime: { defaultModel: 'sim/m', simulate: { m: [{ answer: 'hi' }] } },
      nodes: [
        {
          name: 'ask',
          prompt: '{{ workflow.input.order }}',
          tools: [],
          timeoutSeconds: 5,
          routes: [{ to: '$end' }, { onError: 'provider.exhausted', retry: { max: 2 } }],
        },
      ],
    });
    const file = `workflow:
  name: same
  entry_point: ask
  input: {order: {type: string, default: A-1}}
  runtime: {default_model: sim/m, simulate: {m: [{answer: hi}]}}
nodes:
  - name: ask
    prompt: "{{ workflow.input.order }}"
    tools: []
    timeout_seconds: 5
    routes: [{to: $end}, {on_error: provider.exhausted, retry: {max: 2}}]
`;
    writeFileSync(join(folder, 'same.yaml'), file);
    const { stdout } = spawnSync(
      process.execPath,
      [BINARY, 'validate', 'same.yaml', '--format', 'json'],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    );
    const ofCommand = JSON.parse(stdout) as { files: object[] };
    const ofCode = await errand.validate(flow);
    expect(ofCode).toMatchObject({ isValid: true, files: [{ file: 'code:same' }] });
    expect(ofCode.files[0]?.worstCase).toEqual(
      (ofCommand.files[0] as { worstCase: object }).worstCase,
    );
    expect(ofCode.files[0]?.nodes).toEqual((ofCommand.files[0] as { nodes: object }).nodes);
    expect(JSON.parse(JSON.stringify(await errand.validate('same.yaml')))).toEqual(ofCommand);
    const loaded = await errand.load('same.yaml');
    expect(JSON.parse(JSON.stringify(await errand.validate(loaded)))).toEqual(ofCommand);
  });

  it('is a verdict and not a failure, whatever is wrong', async () => {
    const flow = workflow({
      name: 'bad',
      entryPoint: 'a',
      nodes: [{ name: 'a', type: 'set', value: '{{ nope }}' }],
    });
    expect(await errand.validate(flow)).toMatchObject({
      isValid: false,
      files: [
        {
          file: 'code:bad',
          diagnostics: [
            {
              severity: 'error',
              kind: 'validation.template',
              code: 'unknown-name',
              pointer: '/nodes/0/value',
              path: 'nodes[0].value',
            },
          ],
        },
      ],
    });
    expect(await errand.validate('nothing.yaml')).toMatchObject({ isValid: false });
  });
});
