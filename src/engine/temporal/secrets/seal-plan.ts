/** Replaces the secrets of a plan by marks, before the plan leaves this machine for Temporal. */
import { ErrandError } from '../../../errors/thrown/errand-error.ts';
import { isPlainObject, type JsonValue } from '../../../errors/support/safe-json.ts';
import { templateSites, type TemplateSite } from '../../../workflow/check/template-sites.ts';
import { refingerprinted } from '../../../workflow/plan/fingerprint.ts';
import type { WorkflowPlan } from '../../../workflow/plan/plan.ts';
import type { Environment } from '../../../workflow/yaml/file-port.ts';
import { valueOf } from './fill-secrets.ts';
import { markOf, marksIn, withoutMarks, withTexts } from './secret-marks.ts';

/**
 * Throws `validation.node_config` for a secret in an expression, which would compute with the mark.
 * Names and settings keep their values: the caller refuses a plan that has a secret there.
 */
export function sealedPlan(
  plan: WorkflowPlan,
  seal: string,
  environment: Environment,
): WorkflowPlan {
  const marks = marksOf(plan.secretVariables ?? [], seal, environment);
  if (marks.size === 0) return plan;
  const values = [...marks.keys()].toSorted((one, other) => other.length - one.length);
  const anyValue = new RegExp(values.map(escaped).join('|'), 'g');
  const marked = inTextFields(plan, (text) =>
    text.replace(anyValue, (value) => marks.get(value) ?? value),
  );
  refuseInExpressions(marked);
  return fingerprintedWithout(plan, marked);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The mark of each value. */
function marksOf(
  variables: readonly string[],
  seal: string,
  environment: Environment,
): ReadonlyMap<string, string> {
  const named = Map.groupBy(variables, (name) => valueOf(name, environment) ?? '');
  named.delete('');
  return new Map([...named].map(([value, names]) => [value, markOf(seal, names)]));
}

/** Fields of a plan that have texts of the file, at any depth; the others have names and settings. */
const TEXT_FIELDS: ReadonlySet<string> = new Set(
  `command args env stdin workingDir arguments code prompt systemPrompt images criteria when that message
   output outputSchema value values state input inputMapping outputTemplate duration reason label text hint
   choices default source keyBy description instructions metadata simulate`.split(/\s+/),
);

function inTextFields<T extends object>(value: T, change: (text: string) => string): T {
  if (Array.isArray(value))
    // the same list with other texts
    return value.map((item: JsonValue) => inTextFieldsOf(item, change)) as unknown as T;
  const entries = Object.entries(value).map(([key, item]: [string, JsonValue]) => [
    key,
    TEXT_FIELDS.has(key) ? withTexts({ item }, change).item : inTextFieldsOf(item, change),
  ]);
  return Object.fromEntries(entries) as T;
}

function inTextFieldsOf(value: JsonValue, change: (text: string) => string): JsonValue {
  return isPlainObject(value) || Array.isArray(value) ? inTextFields(value, change) : value;
}

/** Fingerprints as a local run stores them: with neither values nor marks, so that a rotated key is no drift. */
function fingerprintedWithout(whole: WorkflowPlan, marked: WorkflowPlan): WorkflowPlan {
  const clean = refingerprinted(whole, withoutMarks(marked));
  const sealed = (file: string, nodes: WorkflowPlan['nodes']): WorkflowPlan['nodes'] => {
    const from = file === '' ? clean : clean.children[file];
    return nodes.map((node, at) => withFingerprintsOf(node, from?.nodes[at] ?? node));
  };
  const children = Object.entries(marked.children).map(
    ([file, child]) => [file, { ...child, nodes: sealed(file, child.nodes) }] as const,
  );
  return {
    ...marked,
    nodes: sealed('', marked.nodes),
    children: Object.fromEntries(children),
  };
}

type Node = WorkflowPlan['nodes'][number];

function withFingerprintsOf(node: Node, clean: Node): Node {
  const { fingerprint } = clean;
  return node.type === 'for_each' && clean.type === 'for_each'
    ? { ...node, fingerprint, member: withFingerprintsOf(node.member, clean.member) }
    : { ...node, fingerprint };
}

function refuseInExpressions(plan: WorkflowPlan): void {
  const marks = marksIn(plan);
  const sites = [plan, ...Object.values(plan.children)].flatMap(templateSites);
  const found = sites.find((site) =>
    expressionsOf(site).some((text) => marks.some((mark) => text.includes(mark))),
  );
  if (found === undefined) return;
  const { node, path } = found;
  const place =
    node === undefined ? path.join('.') : `${path.slice(2).join('.')} of the node ${node.name}`;
  throw new ErrandError({
    kind: 'validation.node_config',
    message: `The expression in ${place} contains a secret, and Temporal gets no secret to compute with`,
    details: { workflow: plan.name, pointer: `/${path.join('/')}` },
    action: {
      kind: 'fix_file',
      detail: 'Write the variable outside of the braces, where a worker can fill it in.',
    },
  });
}

function expressionsOf({ source, bare }: TemplateSite): readonly string[] {
  const isBare = bare !== undefined && !/\{[{%#]/.test(source);
  return isBare ? [source] : (source.match(/\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g) ?? []);
}
