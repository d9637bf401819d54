/** Marks for secrets in plans at Temporal: made from variables, filled in by workers, forged by nobody. */
import { describe, expect, it } from 'vitest';
import { toReport } from '../../../errors/thrown/to-report.ts';
import type { EffectRequest } from '../../../machine/decide/effect-request.ts';
import type { WorkflowPlan } from '../../../workflow/plan/plan.ts';
import { loadWorkflowText } from '../../../workflow/yaml/load-workflow.ts';
import { withSecrets } from './fill-secrets.ts';
import { RedactedPayloads } from './redacted-payloads.ts';
import { markOf, marksIn, withoutMarks } from './secret-marks.ts';

const SEAL = '0123456789abcdef0123456789abcdef';
const KEY = 'Gq8kP2vT9xLm4RsW7yNa';
const ENV = {
  MY_KEY: KEY,
  DB_URL: 'postgres://ada:Zk7Qp2Xw9@db.internal/shop',
  REGION: 'eu-west-1',
};

interface Loaded {
  readonly plan: WorkflowPlan;
  readonly payloads: RedactedPayloads;
}

/** The lines of the node have `; ` between them. */
function load(node: string, env: Readonly<Record<string, string>> = ENV, runtime = '{}'): Loaded {
  const text = `workflow: {name: t, entry_point: a, runtime: ${runtime}}\nnodes:\n  - name: a\n    ${node.replaceAll('; ', '\n    ')}`;
  const loaded = loadWorkflowText(text, { file: 'main.yaml', environment: env });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
  return { plan: loaded.plan, payloads: new RedactedPayloads(loaded.secrets, env) };
}

function sealed(node: string, env?: Readonly<Record<string, string>>): WorkflowPlan {
  const { plan, payloads } = load(node, env);
  return payloads.sealed(plan, SEAL);
}

function refusal(node: string, env?: Readonly<Record<string, string>>): unknown {
  try {
    return sealed(node, env);
  } catch (thrown) {
    return toReport(thrown);
  }
}

/** As the machine makes it of the node's texts. */
function requestOf(plan: WorkflowPlan): EffectRequest {
  const [node] = plan.nodes;
  const work = node?.type === 'call' ? node.arguments : {};
  return { node: { name: 'a' }, workflow: 't', work } as unknown as EffectRequest;
}

describe('a plan for Temporal', () => {
  it('has a mark for each secret of a variable, and other values as they are', () => {
    const plan = sealed(
      "type: script; command: sh; args: ['k=${MY_KEY}', '${DB_URL}', '${REGION}']; stdin: '${MY_KEY}'",
    );
    expect(plan.nodes[0]).toMatchObject({
      args: [`k=${markOf(SEAL, ['MY_KEY'])}`, markOf(SEAL, ['DB_URL']), 'eu-west-1'],
      stdin: markOf(SEAL, ['MY_KEY']),
    });
    expect(plan.secretVariables).toEqual(['DB_URL', 'MY_KEY']);
    expect(marksIn(plan)).toHaveLength(2);
  });

  it('is the same object without a secret', () => {
    const { plan, payloads } = load("type: set; value: '${REGION}'");
    expect(payloads.sealed(plan, SEAL)).toBe(plan);
  });

  it('keeps what a worker fills in to connect, with its default', () => {
    const runtime = "{provider: {name: openai, api_key: '${NO_KEY:-ollama}'}}";
    const { plan, payloads } = load('type: set; value: 1', ENV, runtime);
    expect(payloads.sealed(plan, SEAL).runtime?.provider?.apiKey).toBe('${NO_KEY:-ollama}');
  });

  it('has the fingerprints of a plan without marks, whatever the value is', () => {
    const node = "type: set; value: '${MY_KEY}'";
    const [one, other] = [sealed(node), sealed(node, { MY_KEY: 'Another9Key2Of7The4Same' })];
    expect(one.nodes).toEqual(other.nodes);
    const { plan, payloads } = load(node);
    const ofOtherRun = payloads.sealed(plan, SEAL.replace('0', 'f'));
    expect(withoutMarks(ofOtherRun).nodes).toEqual(withoutMarks(one).nodes);
    expect(withoutMarks(one).nodes[0]).toMatchObject({ value: '[redacted]' });
  });

  it.each([
    ['an expression', 'type: set; value: \'{{ "${MY_KEY}" | upper }}\'', 'value of the node a'],
    [
      'a condition',
      'type: set; value: 1; routes: [{to: $end, when: \'output == "${MY_KEY}"\'}]',
      'routes.0.when of the node a',
    ],
    [
      'a literal under the name of a secret',
      "type: script; command: sh; env: {API_TOKEN: 'literal-Gq8kP2vT'}",
      '`env.API_TOKEN` of the node a',
    ],
    [
      'a part of an address',
      "type: script; command: sh; args: ['${DB_URL}', 'Zk7Qp2Xw9']",
      '`args.1` of the node a',
    ],
    ['a number', 'type: set; value: ${CARD}', '`value` of the node a'],
  ])('is refused with a secret in %s', (_, node, place) => {
    const report = refusal(node, { ...ENV, CARD: '4111111111111111' });
    expect(report).toMatchObject({
      kind: 'validation.node_config',
      message: expect.stringContaining(place),
    });
    expect(JSON.stringify(report)).not.toContain(KEY);
  });
});

describe('an effect at a worker', () => {
  const references = { seal: SEAL, variables: ['MY_KEY'] };
  const plan = sealed("type: call; function: f; arguments: {deep: [{k: 'x ${MY_KEY}'}]}");

  it('gets the value that the worker has', () => {
    const { work } = withSecrets(requestOf(plan), references, { MY_KEY: 'its own' });
    expect(work).toEqual({ deep: [{ k: 'x its own' }] });
  });

  it('gets none for a text that only looks like a mark', () => {
    const forged = ['${MY_KEY}', markOf(SEAL.replace('0', 'f'), ['MY_KEY']), '<secret  MY_KEY>'];
    const request = { ...requestOf(plan), work: { forged } } as unknown as EffectRequest;
    expect(withSecrets(request, references, ENV)).toBe(request);
  });

  it('does not begin where the variable is not set', () => {
    expect(() => withSecrets(requestOf(plan), references, {})).toThrow(
      'The environment variable MY_KEY is not set at the worker, and the node a needs a secret from it',
    );
  });

  it('does not begin where variables differ that were one value', () => {
    const same = { ONE_KEY: KEY, TWO_KEY: KEY };
    const both = sealed(
      "type: call; function: f; arguments: {k: ['${ONE_KEY}', '${TWO_KEY}']}",
      same,
    );
    const { work } = withSecrets(requestOf(both), references, same);
    expect(work).toEqual({ k: [KEY, KEY] });
    expect(() => withSecrets(requestOf(both), references, { ...same, TWO_KEY: 'other' })).toThrow(
      'ONE_KEY and TWO_KEY have one value where the run was started',
    );
  });
});
