/**
 * Templates before the run: that they can be read, and that what they read can exist. A name that is
 * not there would fail the node when it runs; here it costs nothing.
 */
import { suggest } from '../../errors/suggest.ts';
import { allNodes } from '../all-nodes.ts';
import type { FilePlan } from '../model.ts';
import { givesErrors, type NodePlan } from '../node-model.ts';
import type { Problem, Report } from '../problem.ts';
import { fromPointer } from '../path.ts';
import { listed, quoted } from '../words.ts';
import type { Template } from '../template/template.ts';
import type { Reference } from '../template/references.ts';
import { reachable, type Flow } from './flow.ts';
import type { Order } from './order.ts';
import { outputFields, plainField, type ChildOf } from './outputs.ts';
import { parseSite, templateSites, type TemplateSite } from './template-sites.ts';

export interface NamesContext {
  readonly plan: FilePlan;
  readonly flow: Flow;
  readonly order: Order;
  readonly childOf: ChildOf;
}

const WORKFLOW_FIELDS = ['input', 'name', 'dir', 'file', 'description', 'version'];
const FAILING_FIELDS = ['node', 'error', 'output'];
const GROUP_FIELDS = ['outputs', 'errors', 'error', 'output'];
const NODE_FIELDS = ['output', 'error'];
/** Of a function or a tool, whose result may be a part with errors beside it. */
const PARTLY_FIELDS = [...NODE_FIELDS, 'errors'];

export function checkNames(context: NamesContext, report: Report): void {
  const loops = loopNames(context.plan, context.flow);
  const failing = failingNodes(context.flow);
  for (const site of templateSites(context.plan)) {
    const read = parseSite(site);
    if (read === undefined) continue;
    const { isBare, parsed } = read;
    if (!parsed.ok) {
      const { message, offset, length, suggestion } = parsed.problem;
      report({
        code: 'template-syntax',
        kind: 'validation.template',
        message,
        path: site.path,
        within: { offset, length },
        ...(suggestion === undefined ? {} : { suggestion }),
      });
      continue;
    }
    const names = new Names(context, site, { isBare, loops, failing });
    names.check(parsed.template, report);
  }
  for (const node of allNodes(context.plan)) checkInput(context, node, report);
}

/** What a node lists in its `input` is read as a name, and must be one. */
function checkInput(context: NamesContext, node: NodePlan, report: Report): void {
  const path = [...fromPointer(node.location.pointer), 'input'];
  for (const [index, item] of (node.input ?? []).entries()) {
    const names = item.replace(/\?$/, '').split('.');
    const reference = { path: names, offset: 0, length: item.length };
    // listing what may not have run yet is no mistake; reading it is, and is found where it is read
    const references = [{ ...reference, isForgiven: true, isGuarded: true, isCall: false }];
    const site = { source: item, path: [...path, index], node, scope: 'node' as const };
    const around = { isBare: false, loops: new Map(), failing: new Set<string>() };
    new Names(context, site, around).check({ references }, report);
  }
}

interface Around {
  readonly isBare: boolean;
  readonly loops: ReadonlyMap<string, ReadonlySet<string>>;
  readonly failing: ReadonlySet<string>;
}

/** What one template may name. */
class Names {
  readonly #context: NamesContext;
  readonly #site: TemplateSite;
  readonly #around: Around;

  constructor(context: NamesContext, site: TemplateSite, around: Around) {
    this.#context = context;
    this.#site = site;
    this.#around = around;
  }

  check(template: Pick<Template, 'references'>, report: Report): void {
    for (const reference of template.references) {
      const problem = this.#problemOf(reference);
      if (problem === undefined) continue;
      report({
        kind: 'validation.template',
        path: this.#site.path,
        within: { offset: reference.offset, length: reference.length },
        ...problem,
      });
    }
  }

  #problemOf(reference: Reference): Omit<Problem, 'path'> | undefined {
    const [root = '', ...rest] = reference.path.map(String);
    const { plan, flow } = this.#context;
    if (root === this.#site.also) return undefined;
    if (this.#isLoopName(root)) return undefined;
    if (this.#isVerdictName(root)) return this.#verdictProblem(root, rest, reference);
    if (root === 'attempt') return undefined;
    if (root === 'workflow') return workflowProblem(rest, plan);
    if (root === 'state') return stateProblem(rest[0], plan);
    if (root === 'failing') return this.#failingProblem(rest[0], reference);
    const node = flow.nodes.get(root);
    if (node !== undefined) return this.#nodeProblem(node, rest, reference);
    const isField = this.#around.isBare && this.#site.bare === 'fields';
    return isField ? this.#bareProblem(root, rest[0]) : this.#unknown(root, rest[0]);
  }

  #isLoopName(name: string): boolean {
    const { node } = this.#site;
    return node !== undefined && (this.#around.loops.get(node.name)?.has(name) ?? false);
  }

  #isVerdictName(name: string): boolean {
    const { scope, node } = this.#site;
    if (scope !== 'verdict') return false;
    return (
      name === 'output' ||
      name === 'error' ||
      (name === 'errors' && node !== undefined && givesErrors(node))
    );
  }

  /** `failing` is there only where an error route leads. */
  #failingProblem(
    field: string | undefined,
    reference: Reference,
  ): Omit<Problem, 'path'> | undefined {
    const { node, scope } = this.#site;
    const isPossible =
      scope !== 'node' || node === undefined || this.#around.failing.has(node.name);
    if (!isPossible && !reference.isForgiven && !reference.isGuarded) {
      return {
        code: 'never-failing',
        message: `No error route leads to ${quoted(node.name)}, so \`failing\` is never there`,
        suggestion: 'Lead an error route here, or allow for its absence with `default()`',
      };
    }
    return memberProblem('unknown-name', 'failing', field, FAILING_FIELDS);
  }

  #nodeProblem(
    node: NodePlan,
    [slot, field, ...inside]: readonly string[],
    reference: Reference,
  ): Omit<Problem, 'path'> | undefined {
    const isGroup = node.type === 'parallel' || node.type === 'for_each';
    const ownFields = givesErrors(node) ? PARTLY_FIELDS : NODE_FIELDS;
    const slots = isGroup ? GROUP_FIELDS : ownFields;
    const unknownSlot = memberProblem('unknown-name', node.name, slot, slots);
    if (unknownSlot !== undefined) return this.#throughOutput(node, slot, unknownSlot);
    if (!reference.isForgiven && !reference.isGuarded) {
      const early = this.#earlyProblem(node) ?? this.#hiddenProblem(node);
      if (early !== undefined) return early;
    }
    if (slot === 'outputs' && node.type === 'parallel')
      return memberProblem('unknown-field', `${node.name}.outputs`, field, node.members);
    if (slot !== 'output') return undefined;
    const fields = outputFields(node, this.#context.childOf);
    const unknownField =
      fields === undefined
        ? undefined
        : memberProblem('unknown-field', `${node.name}.output`, field, fields);
    return unknownField ?? insideProblem(node, `${node.name}.output`, { inside, reference, field });
  }

  /** `output` of the node itself, in its routes and assertions. */
  #verdictProblem(
    root: string,
    [field, ...inside]: readonly string[],
    reference: Reference,
  ): Omit<Problem, 'path'> | undefined {
    const { node } = this.#site;
    if (root !== 'output' || node === undefined) return undefined;
    const unknownField =
      node.type === 'human_gate'
        ? memberProblem('unknown-field', 'output', field, outputFields(node, () => undefined) ?? [])
        : undefined;
    return unknownField ?? insideProblem(node, 'output', { inside, reference, field });
  }

  /** `classify.label` is `classify.output.label` where the output has it, or might. */
  #throughOutput(
    node: NodePlan,
    slot: string | undefined,
    problem: Omit<Problem, 'path'>,
  ): Omit<Problem, 'path'> {
    if (slot === undefined) return problem;
    if (node.type === 'parallel')
      return node.members.includes(slot)
        ? { ...problem, suggestion: `${node.name}.outputs.${slot}` }
        : problem;
    if (node.type === 'for_each') return problem;
    const fields = outputFields(node, this.#context.childOf);
    const field = fields === undefined || fields.includes(slot) ? slot : suggest(slot, fields);
    return problem.suggestion !== undefined || field === undefined
      ? problem
      : { ...problem, suggestion: `${node.name}.output.${field}` };
  }

  #earlyProblem(node: NodePlan): Omit<Problem, 'path'> | undefined {
    const { node: here, scope } = this.#site;
    if (here === undefined || scope === 'file') return undefined;
    const isOwnVerdict = scope === 'verdict' && here.name === node.name;
    if (isOwnVerdict || this.#context.order.leadsTo(node.name, here.name)) return undefined;
    return {
      code: 'never-ran',
      message: `${quoted(node.name)} can never have run before ${quoted(here.name)}`,
      suggestion: `Lead a route from ${quoted(node.name)} to ${quoted(here.name)}, or allow for the gap with \`default()\``,
    };
  }

  /** In explicit mode a node sees what its `input` lists; routes and assertions see everything. */
  #hiddenProblem(node: NodePlan): Omit<Problem, 'path'> | undefined {
    const { node: here, scope } = this.#site;
    if (this.#context.plan.contextMode !== 'explicit' || scope !== 'node' || here === undefined)
      return undefined;
    const isListed = (here.input ?? []).some((item) => item.split(/[.?]/)[0] === node.name);
    if (isListed) return undefined;
    return {
      code: 'not-in-input',
      message: `${quoted(here.name)} does not list ${quoted(node.name)} in its \`input\`, and the context is explicit`,
      suggestion: `Add ${quoted(`${node.name}.output`)} to its \`input\` list`,
    };
  }

  /** A bare guard names fields of the node's own output, as far as anybody knows them. */
  #bareProblem(name: string, field: string | undefined): Omit<Problem, 'path'> | undefined {
    const { node } = this.#site;
    const fields = node === undefined ? undefined : outputFields(node, this.#context.childOf);
    if (fields?.includes(name) === true) return undefined;
    if (fields !== undefined) return this.#unknown(name, field, fields);
    const meant = this.#meantElsewhere(name, field);
    if (node === undefined || meant === undefined) return undefined;
    return {
      code: 'doubtful-name',
      severity: 'warning',
      message: `${quoted(name)} can only be a field of what ${quoted(node.name)} gives, and nothing says that it gives one`,
      suggestion: `${meant}; where the node gives it, write \`output.${name}\``,
    };
  }

  #unknown(
    name: string,
    field: string | undefined,
    more: readonly string[] = [],
  ): Omit<Problem, 'path'> {
    const { flow, plan } = this.#context;
    const known = ['workflow', 'state', 'failing', 'attempt', ...flow.nodes.keys(), ...more];
    const isInput = Object.hasOwn(plan.input, name);
    const meant = isInput
      ? `workflow.input.${name}`
      : (this.#meantElsewhere(name, field) ?? suggest(name, known));
    return {
      code: 'unknown-name',
      message: `There is nothing called ${quoted(name)} here`,
      ...(meant === undefined ? {} : { suggestion: meant }),
    };
  }

  /** What other engines call what has another name here, where it is followed by a field. */
  #meantElsewhere(name: string, field: string | undefined): string | undefined {
    if (field === undefined) return undefined;
    const { plan, flow } = this.#context;
    switch (name) {
      case 'context':
        return flow.nodes.has(field)
          ? `Write \`${field}.output\``
          : 'Count rounds in a key of `state`, or read `attempt`';
      case 'input':
      case 'inputs':
        return Object.hasOwn(plan.input, field) ? `Write \`workflow.input.${field}\`` : undefined;
      case 'nodes':
      case 'agents':
      case 'steps':
        return flow.nodes.has(field) ? `Write \`${field}.output\`` : undefined;
      case 'env':
        return `Write \`\${${field}}\`, which is filled in when the file is read`;
      default:
        return undefined;
    }
  }
}

/** A text, a number or a flag has nothing inside that has a name, whatever stands behind it. */
function insideProblem(
  node: NodePlan,
  owner: string,
  {
    field,
    inside: [inner, ...more],
    reference,
  }: {
    readonly field: string | undefined;
    readonly inside: readonly string[];
    readonly reference: Reference;
  },
): Omit<Problem, 'path'> | undefined {
  const plain = field === undefined ? undefined : plainField(node, field);
  if (field === undefined || plain === undefined || inner === undefined) return undefined;
  const isMethod = reference.isCall && more.length === 0;
  if (isMethod || /^-?\d+$/.test(inner)) return undefined;
  const whole = `${owner}.${field}`;
  return {
    code: 'unknown-field',
    message: `${quoted(whole)} is ${plain}, so it has no ${quoted(inner)}`,
    suggestion: whole,
  };
}

function workflowProblem(
  [slot, field]: readonly string[],
  plan: FilePlan,
): Omit<Problem, 'path'> | undefined {
  if (slot === 'input') {
    const known = Object.keys(plan.input);
    const problem = memberProblem('unknown-input', 'workflow.input', field, known);
    if (problem === undefined || problem.suggestion !== undefined) return problem;
    const declared = `${field}: {type: string}`;
    return {
      ...problem,
      suggestion:
        known.length === 0
          ? `Declare it under \`workflow\`: \`input: {${declared}}\``
          : `Declare it under \`workflow.input\`: \`${declared}\``,
    };
  }
  return memberProblem('unknown-name', 'workflow', slot, WORKFLOW_FIELDS);
}

function stateProblem(key: string | undefined, plan: FilePlan): Omit<Problem, 'path'> | undefined {
  const problem = memberProblem('unknown-name', 'state', key, Object.keys(plan.state));
  if (problem === undefined || problem.suggestion !== undefined) return problem;
  const suggestion = `Declare it under \`workflow\`: \`state: {${key}: {type: string}}\``;
  return { ...problem, suggestion };
}

function memberProblem(
  code: Problem['code'],
  owner: string,
  field: string | undefined,
  known: readonly string[],
): Omit<Problem, 'path'> | undefined {
  if (field === undefined || known.includes(field)) return undefined;
  const meant = suggest(field, known);
  return {
    code,
    message: `${quoted(owner)} has no ${quoted(field)}`,
    expected: known.length === 0 ? 'nothing, because nothing is declared' : listed(known, 'or'),
    ...(meant === undefined ? {} : { suggestion: `${owner}.${meant}` }),
  };
}

/** For each node, the loop names of the branches it can run in. */
function loopNames(plan: FilePlan, flow: Flow): ReadonlyMap<string, ReadonlySet<string>> {
  const loops = new Map<string, Set<string>>();
  for (const node of allNodes(plan)) {
    if (node.type !== 'for_each') continue;
    for (const inside of reachable(flow, [node.member.name])) {
      const seen = loops.get(inside) ?? new Set<string>();
      const names = [node.as, '_index', ...(node.keyBy === undefined ? [] : ['_key'])];
      for (const name of names) seen.add(name);
      loops.set(inside, seen);
    }
  }
  return loops;
}

function failingNodes(flow: Flow): ReadonlySet<string> {
  const targets = [...flow.from.values()].flat().filter(({ reason }) => reason === 'error');
  return reachable(
    flow,
    targets.map(({ to }) => to),
  );
}
