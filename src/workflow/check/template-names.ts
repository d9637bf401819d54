/**
 * Checks templates before the run: that they parse, and that the names they read can exist. A missing
 * name would otherwise fail the node when it runs.
 */
import { suggest } from '../../errors/support/suggest.ts';
import { allNodes } from '../plan/node-list.ts';
import type { FilePlan } from '../plan/plan.ts';
import { givesErrors, type NodePlan } from '../plan/node-plan.ts';
import type { Problem, ReportProblem } from '../diagnostics/problem.ts';
import { isListed, listedPaths } from '../plan/listed-names.ts';
import { fromPointer } from '../plan/pointer.ts';
import { listed, quoted } from '../diagnostics/diagnostic-words.ts';
import type { Template } from '../template/template.ts';
import type { Reference } from '../template/analyse/template-references.ts';
import { branchNodes, canBeLastBefore, failingNodes, loopNames, type Flow } from './flow-graph.ts';
import type { Order } from './node-order.ts';
import { insideProblem, outputFields, type ChildOf } from './outputs.ts';
import type { ReadSite, TemplateSite } from './template-sites.ts';

export interface NamesContext {
  readonly plan: FilePlan;
  readonly flow: Flow;
  readonly order: Order;
  readonly childOf: ChildOf;
  readonly sites: readonly ReadSite[];
}

const WORKFLOW_FIELDS = ['input', 'name', 'dir', 'file', 'description', 'version'];
const FAILING_FIELDS = ['node', 'error', 'output'];
const PROGRESS_FIELDS = ['iteration', 'history'];
const GROUP_FIELDS = ['outputs', 'errors', 'error', 'output'];
const NODE_FIELDS = ['output', 'error'];
/** Fields of a function or a tool, whose result may be partial, with errors beside it. */
const PARTLY_FIELDS = [...NODE_FIELDS, 'errors'];

export function checkNames(context: NamesContext, report: ReportProblem): void {
  const loops = loopNames(context.plan, context.flow);
  const failing = failingNodes(context.flow);
  const inBranches = branchNodes(context.flow);
  for (const { site, isBare, parsed } of context.sites) {
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
    const names = new Names(context, site, { isBare, loops, failing, inBranches });
    names.check(parsed.template, report);
  }
  for (const node of allNodes(context.plan)) checkInput(context, node, report);
}

/** Each item in the `input` of a node must be a valid name. */
function checkInput(context: NamesContext, node: NodePlan, report: ReportProblem): void {
  const path = [...fromPointer(node.location.pointer), 'input'];
  for (const [index, item] of (node.input ?? []).entries()) {
    const names = item.replace(/\?$/, '').split('.');
    const reference = { path: names, offset: 0, length: item.length };
    // a node may list a node that has not run yet; reading its result is reported at the reading
    const references = [{ ...reference, isForgiven: true, isGuarded: true, isCall: false }];
    const site = { source: item, path: [...path, index], node, scope: 'node' as const };
    new Names(context, site, NOTHING_AROUND).check({ references }, report);
  }
}

interface Around {
  readonly isBare: boolean;
  readonly loops: ReadonlyMap<string, ReadonlySet<string>>;
  readonly failing: ReadonlySet<string>;
  readonly inBranches: ReadonlySet<string>;
}

const NOTHING_AROUND: Around = {
  isBare: false,
  loops: new Map(),
  failing: new Set(),
  inBranches: new Set(),
};

/** The names that one template may use. */
class Names {
  readonly #context: NamesContext;
  readonly #site: TemplateSite;
  readonly #around: Around;

  constructor(context: NamesContext, site: TemplateSite, around: Around) {
    this.#context = context;
    this.#site = site;
    this.#around = around;
  }

  check(template: Pick<Template, 'references'>, report: ReportProblem): void {
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
    if (this.#isRouteName(root)) return this.#ownOutputProblem(root, rest, reference);
    if (root === 'attempt') return undefined;
    if (root === 'workflow') return workflowProblem(rest, plan);
    if (root === 'state') return stateProblem(rest[0], plan);
    if (root === 'failing') return this.#failingProblem(rest[0], reference);
    const node = flow.nodes.get(root);
    if (node !== undefined) return this.#nodeProblem(node, rest, reference);
    if (root === 'context')
      return memberProblem('unknown-name', 'context', rest[0], PROGRESS_FIELDS);
    const isField = this.#around.isBare && this.#site.bare === 'fields';
    return isField ? this.#bareProblem(root, rest[0]) : this.#unknown(root, rest[0]);
  }

  #isLoopName(name: string): boolean {
    const { node } = this.#site;
    return node !== undefined && (this.#around.loops.get(node.name)?.has(name) ?? false);
  }

  #isRouteName(name: string): boolean {
    const { scope, node } = this.#site;
    if (scope !== 'routes') return false;
    return (
      name === 'output' ||
      name === 'error' ||
      (name === 'errors' && node !== undefined && givesErrors(node))
    );
  }

  /** `failing` exists only in nodes that an error route leads to. */
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
        message: `No error route leads to ${quoted(node.name)}, so \`failing\` never exists`,
        suggestion: 'Add an error route to this node, or use `default()` for the missing value',
      };
    }
    return memberProblem('unknown-name', 'failing', field, FAILING_FIELDS);
  }

  #nodeProblem(
    node: NodePlan,
    [property, field, ...inside]: readonly string[],
    reference: Reference,
  ): Omit<Problem, 'path'> | undefined {
    const isGroup = node.type === 'parallel' || node.type === 'for_each';
    const ownFields = givesErrors(node) ? PARTLY_FIELDS : NODE_FIELDS;
    const properties = isGroup ? GROUP_FIELDS : ownFields;
    const unknownProperty = memberProblem('unknown-name', node.name, property, properties);
    if (unknownProperty !== undefined) return this.#throughOutput(node, property, unknownProperty);
    if (!reference.isForgiven && !reference.isGuarded) {
      const early = this.#earlyProblem(node) ?? this.#hiddenProblem(node, reference);
      if (early !== undefined) return early;
    }
    // the output of a member is that of the last node of its branch
    if (property === 'outputs' && node.type === 'parallel')
      return memberProblem('unknown-field', `${node.name}.outputs`, field, node.members);
    if (property !== 'output') return undefined;
    const fields = outputFields(node, this.#context.childOf);
    const unknownField =
      fields === undefined
        ? undefined
        : memberProblem('unknown-field', `${node.name}.output`, field, fields);
    return unknownField ?? insideProblem(node, `${node.name}.output`, { inside, reference, field });
  }

  /** `output` of the node itself, in its routes and assertions. */
  #ownOutputProblem(
    root: string,
    [field, ...inside]: readonly string[],
    reference: Reference,
  ): Omit<Problem, 'path'> | undefined {
    const { node, isAfterSuccess } = this.#site;
    if (root !== 'output' || node === undefined) return undefined;
    // the remains of a failed node may have any form
    const isKnown = isAfterSuccess === true || node.type === 'human_gate';
    const fields = isKnown ? outputFields(node, this.#context.childOf) : undefined;
    const unknownField =
      fields === undefined ? undefined : memberProblem('unknown-field', 'output', field, fields);
    return unknownField ?? insideProblem(node, 'output', { inside, reference, field });
  }

  /** Suggests `classify.output.label` for `classify.label` where the output has or may have it. */
  #throughOutput(
    node: NodePlan,
    property: string | undefined,
    problem: Omit<Problem, 'path'>,
  ): Omit<Problem, 'path'> {
    if (property === undefined) return problem;
    if (node.type === 'parallel')
      return node.members.includes(property)
        ? { ...problem, suggestion: `${node.name}.outputs.${property}` }
        : problem;
    if (node.type === 'for_each') return problem;
    const fields = outputFields(node, this.#context.childOf);
    const field =
      fields === undefined || fields.includes(property) ? property : suggest(property, fields);
    return problem.suggestion !== undefined || field === undefined
      ? problem
      : { ...problem, suggestion: `${node.name}.output.${field}` };
  }

  #earlyProblem(node: NodePlan): Omit<Problem, 'path'> | undefined {
    const { node: here, scope, path } = this.#site;
    if (path[0] === 'output' && this.#around.inBranches.has(node.name))
      return {
        code: 'never-ran',
        message: `${quoted(node.name)} runs in a branch only, and the \`output\` of the file sees nothing of branches`,
        suggestion: 'Read the result of the group or supervisor that starts the branch',
      };
    if (here === undefined || scope === 'file') return undefined;
    const isOwnRoute = scope === 'routes' && here.name === node.name;
    if (isOwnRoute || this.#context.order.leadsTo(node.name, here.name)) return undefined;
    return {
      code: 'never-ran',
      message: `${quoted(node.name)} can never have run before ${quoted(here.name)}`,
      suggestion:
        here.name === node.name
          ? 'A node cannot read its own output while it makes it; keep an earlier value in `state`'
          : `Add a route from ${quoted(node.name)} to ${quoted(here.name)}, or use \`default()\` for the missing value`,
    };
  }

  /** The results that the context mode hides from a node; routes and assertions see everything. */
  #hiddenProblem(node: NodePlan, { path, isCall }: Reference): Omit<Problem, 'path'> | undefined {
    const { node: here, scope } = this.#site;
    const { contextMode } = this.#context.plan;
    if (contextMode === 'accumulate' || scope !== 'node' || here === undefined) return undefined;
    if (contextMode === 'last_only')
      return canBeLastBefore(this.#context.flow, node.name, here.name)
        ? undefined
        : notLast(node.name, here.name);
    const read = path.slice(1, isCall ? -1 : undefined).map(String);
    const listedOfNode = listedPaths(here, node.name);
    if (isListed(listedOfNode, read)) return undefined;
    const whole = [node.name, ...read.slice(0, 2)].join('.');
    const isNone = listedOfNode.length === 0;
    return {
      code: 'not-in-input',
      message: `${quoted(here.name)} must list ${quoted(isNone ? node.name : whole)} in its \`input\`, because the context mode is explicit`,
      suggestion: `Add ${quoted(isNone ? `${node.name}.output` : whole)} to its \`input\` list`,
    };
  }

  /** A bare guard reads fields of the node's own output, if they are known. */
  #bareProblem(name: string, field: string | undefined): Omit<Problem, 'path'> | undefined {
    const { node } = this.#site;
    const fields = node === undefined ? undefined : outputFields(node, this.#context.childOf);
    if (fields?.includes(name) === true) return undefined;
    if (fields !== undefined) return this.#unknown(name, field, fields);
    const meant = this.#ourNameFor(name, field);
    if (node === undefined || meant === undefined) return undefined;
    return {
      code: 'doubtful-name',
      severity: 'warning',
      message: `${quoted(name)} can only be a field of the output of ${quoted(node.name)}, which declares no such field`,
      suggestion: `${meant}; if it is a field of the output, write \`output.${name}\``,
    };
  }

  #unknown(
    name: string,
    field: string | undefined,
    more: readonly string[] = [],
  ): Omit<Problem, 'path'> {
    const { flow, plan } = this.#context;
    const known = [
      'workflow',
      'state',
      'failing',
      'attempt',
      'context',
      ...flow.nodes.keys(),
      ...more,
    ];
    const isInput = Object.hasOwn(plan.input, name);
    const meant = isInput
      ? `workflow.input.${name}`
      : (this.#ourNameFor(name, field) ?? suggest(name, known));
    return {
      code: 'unknown-name',
      message: `Nothing is called ${quoted(name)} here`,
      ...(meant === undefined ? {} : { suggestion: meant }),
    };
  }

  /** Suggests our name for a name of another engine, if a field follows it. */
  #ourNameFor(name: string, field: string | undefined): string | undefined {
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
        return `Write \`\${${field}}\`, which is replaced when the file is read`;
      default:
        return undefined;
    }
  }
}

function notLast(name: string, here: string): Omit<Problem, 'path'> {
  return {
    code: 'not-in-input',
    message: `${quoted(here)} sees only the node before it, because the context mode is last_only, and that is never ${quoted(name)}`,
    suggestion: `Pass the value on through the nodes between them, keep it in \`state\`, or set \`context: {mode: accumulate}\``,
  };
}

function workflowProblem(
  [property, field]: readonly string[],
  plan: FilePlan,
): Omit<Problem, 'path'> | undefined {
  if (property === 'input') {
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
  return memberProblem('unknown-name', 'workflow', property, WORKFLOW_FIELDS);
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
