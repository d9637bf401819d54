/**
 * Whether a template of a node can fail when it is evaluated. It cannot if it reads no name, or
 * passes on one that always exists; any other may meet a missing field, a value of another type or
 * a limit of the templates.
 */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { fitsType } from '../json-schema/field-schema.ts';
import type { NodePlan } from '../plan/node-plan.ts';
import type { FilePlan, StateField } from '../plan/plan.ts';
import { isTemplate } from '../plan/model-names.ts';
import type { Expression } from '../template/parse/ast.ts';
import { TEMPLATE_LIMITS } from '../template/template-limits.ts';
import { evaluateTemplate, parseTemplate, type Template } from '../template/template.ts';
import {
  instructionSites,
  outputSites,
  ownSites,
  type Parse,
  type TemplateSite,
} from './template-sites.ts';

export function templatesCanFail(
  node: NodePlan,
  plan: FilePlan,
  parse: Parse = parseTemplate,
): boolean {
  const isVariable = ({ source }: TemplateSite): boolean => canFail(source, () => false, parse);
  switch (node.type) {
    case 'agent':
    case 'supervisor':
      return (
        [...instructionSites(plan), ...ownSites(node)].some(isVariable) ||
        (node.model ?? plan.runtime?.defaultModel ?? []).some(({ model }) => isTemplate(model)) ||
        (node.type === 'agent' && node.images !== undefined)
      );
    case 'set':
      return (
        ownSites(node).some((site) => valueCanFail(site, plan, parse)) ||
        writeCanFail(node, plan, parse) ||
        // text that is read as another type
        (node.valueType !== undefined && node.valueType !== 'string')
      );
    case 'call':
    case 'tool':
    case 'transform':
    case 'workflow':
      return ownSites(node).some((site) => valueCanFail(site, plan, parse));
    case 'script':
    case 'human_gate':
    case 'terminate':
      return ownSites(node).some(isVariable);
    case 'wait':
      // remaining text is a template, whose value need not be a duration
      return typeof node.duration === 'string' || ownSites(node).some(isVariable);
    case 'for_each':
      return true;
    case 'parallel':
      return false;
  }
}

/** Whether the `output` of a file can fail, which fails the node that called it. */
export function outputCanFail(plan: FilePlan): boolean {
  return outputSites(plan).some((site) => valueCanFail(site, plan, parseTemplate));
}

/** Whether the state may refuse a value: a sum needs numbers, and a new value the type of the old one. */
function writeCanFail(
  { state }: Extract<NodePlan, { type: 'set' }>,
  plan: FilePlan,
  parse: Parse,
): boolean {
  return Object.entries(state).some(([key, value]) => {
    const field = Object.hasOwn(plan.state, key) ? plan.state[key] : undefined;
    if (field === undefined || field.merge === 'sum') return true;
    return field.merge === 'replace' && !fitsAlways(value, field, plan, parse);
  });
}

function fitsAlways(value: JsonValue, { type }: StateField, plan: FilePlan, parse: Parse): boolean {
  if (typeof value !== 'string') return fitsType(value, type);
  const parsed = parse(value);
  if (!parsed.ok) return false;
  const { references } = parsed.template;
  const [reference] = references;
  if (reference === undefined) return fitsType(constantOf(parsed.template), type);
  if (reference.isForgiven) return false;
  const passed = typePassedOn(reference.path.map(String), plan);
  return passed === type || (passed === 'integer' && type === 'number');
}

/** The type of an input or a state that a template passes on; undefined if it may also be null. */
function typePassedOn(
  [first, second = '', third = '']: readonly string[],
  plan: FilePlan,
): StateField['type'] | undefined {
  if (first === 'state') return plan.state[second]?.type;
  const field = plan.input[third];
  return field !== undefined && fitsType(field.schema['type'], 'string') ? field.type : undefined;
}

/** A value that is passed on unchanged has no limit of its own. */
function valueCanFail({ source }: TemplateSite, plan: FilePlan, parse: Parse): boolean {
  return canFail(source, (template) => passesOn(template, plan), parse);
}

function canFail(source: string, isSure: (template: Template) => boolean, parse: Parse): boolean {
  if (isItself(source)) return false;
  const parsed = parse(source);
  if (!parsed.ok) return true;
  const { template } = parsed;
  return template.references.length === 0 ? !hasValue(template) : !isSure(template);
}

/** Text without braces and brackets is no template, and not JSON that is read as a value. */
function isItself(source: string): boolean {
  return !/[{[]/.test(source) && source.length <= TEMPLATE_LIMITS.sourceChars;
}

/** A constant has the same value, or the same failure, every time. */
function hasValue(template: Template): boolean {
  return constantOf(template) !== undefined;
}

function constantOf(template: Template): JsonValue | undefined {
  try {
    return evaluateTemplate(template, { lookup: () => undefined, names: () => [] });
  } catch {
    // the failure belongs to the run; here only its kind is listed
    return undefined;
  }
}

/**
 * `{{ workflow.input.ticket }}`, `{{ state.tags }}`: one name that exists whenever a node runs. `{{
 * workflow.input.note | default('none') }}`: one that may be missing, and its replacement.
 */
function passesOn({ isSingleExpression, references, body }: Template, plan: FilePlan): boolean {
  const [reference] = references;
  const expression = body.find((part) => part.kind === 'output')?.expression;
  if (!isSingleExpression || expression === undefined || reference === undefined) return false;
  if (hasConstantDefault(expression)) return true;
  if (!isFieldPath(expression)) return false;
  // in the other modes a node sees what it lists
  if (plan.contextMode !== 'accumulate') return false;
  const [first, second, third, ...rest] = reference.path.map(String);
  if (rest.length > 0) return false;
  if (first === 'state') return third === undefined && Object.hasOwn(plan.state, second ?? '');
  if (first !== 'workflow') return false;
  if (third === undefined) return ALWAYS_THERE.has(second ?? '');
  if (second !== 'input') return false;
  const field = Object.hasOwn(plan.input, third) ? plan.input[third] : undefined;
  return field !== undefined && (field.required || field.default !== undefined);
}

/** Fields of `workflow` that every file has. */
const ALWAYS_THERE = new Set(['name', 'dir', 'file', 'input']);

function hasConstantDefault(expression: Expression): boolean {
  if (expression.kind !== 'pipe' || !isFieldPath(expression.input)) return false;
  const [stage, ...more] = expression.stages;
  if (stage?.kind !== 'filter' || more.length > 0) return false;
  const isDefault = stage.name === 'default' || stage.name === 'd';
  return isDefault && stage.args.every((arg) => arg === undefined || arg.kind === 'literal');
}

function isFieldPath(expression: Expression): boolean {
  return expression.kind === 'path' && expression.links.every(({ kind }) => kind === 'field');
}
