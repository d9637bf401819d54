/** Template sites: every template of a file with its location and the names that it may see. */
import { isArray, isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { allNodes } from '../plan/node-list.ts';
import type { FilePlan } from '../plan/plan.ts';
import type { HumanGatePlan, NodePlan } from '../plan/node-plan.ts';
import { fromPointer, type Path } from '../plan/pointer.ts';
import type { Assertion, Route } from '../plan/route-plan.ts';
import { TEMPLATE_LIMITS } from '../template/template-limits.ts';
import { memoise } from '../template/memo.ts';
import { parseExpression, parseTemplate, type ParseResult } from '../template/template.ts';

export interface TemplateSite {
  readonly source: string;
  readonly path: Path;
  /** The node that it belongs to; none in the header and in the final output. */
  readonly node: NodePlan | undefined;
  /**
   * `node`: the work of the node. `routes`: its routes and assertions, which also see `output` and
   * `error`. `file`: the header and the final output, which see everything that ran.
   */
  readonly scope: 'node' | 'routes' | 'file';
  /** The node has succeeded, so that its `output` has the form that it gives. */
  readonly isAfterSuccess?: boolean;
  /** Text without braces is an expression too: over fields of the output, or over names only. */
  readonly bare?: 'fields' | 'names';
  /** A name that exists besides those that the node sees. */
  readonly also?: string;
}

export interface ParsedSite {
  /** The whole text is an expression, without braces. */
  readonly isBare: boolean;
  readonly parsed: ParseResult;
}

/** A template of a file with what its text says. */
export interface ReadSite extends ParsedSite {
  readonly site: TemplateSite;
}

export type Parse = (source: string) => ParseResult;

/** Enough for the templates of the largest file. */
const PARSED_BOUNDS = { maxEntries: 100_000, maxChars: 8 * 1024 * 1024 };

/** Parses a text once for all checks of a workflow, which read far more templates than one run does. */
export function parsingOnce(): Parse {
  return memoise(parseTemplate, PARSED_BOUNDS);
}

/** The templates of a file; texts without templates are left out. */
export function readSites(plan: FilePlan, parse: Parse): readonly ReadSite[] {
  return templateSites(plan).flatMap((site) => {
    const read = parseSite(site, parse);
    return read === undefined ? [] : [{ ...read, site }];
  });
}

/** Undefined for text without templates, which reads no names. */
export function parseSite(
  site: TemplateSite,
  parse: Parse = parseTemplate,
): ParsedSite | undefined {
  const isPlain = !/\{[{%#]/.test(site.source);
  const isBare = site.bare !== undefined && isPlain;
  // the parser refuses one that is too long
  if (isPlain && !isBare && site.source.length <= TEMPLATE_LIMITS.sourceChars) return undefined;
  return { isBare, parsed: isBare ? parseExpression(site.source) : parse(site.source) };
}

export function templateSites(plan: FilePlan): readonly TemplateSite[] {
  return [
    ...instructionSites(plan),
    ...plan.onError.flatMap((route) => routeSites(route, undefined)),
    ...allNodes(plan).flatMap(nodeSites),
    ...outputSites(plan),
  ];
}

export function outputSites(plan: FilePlan): readonly TemplateSite[] {
  return deepSites(plan.output, ['output'], undefined, 'file');
}

/** The instructions that every model of the file gets. */
export function instructionSites(plan: FilePlan): readonly TemplateSite[] {
  return plan.instructions.map((text, index) =>
    fileSite(text, ['workflow', 'instructions', index]),
  );
}

function nodeSites(node: NodePlan): TemplateSite[] {
  return [
    ...ownSites(node),
    ...node.assert.flatMap((assertion) => assertionSites(assertion, node)),
    ...node.routes.flatMap((route) => routeSites(route, node)),
  ];
}

/** The templates of the work of a node. */
export function ownSites(node: NodePlan): TemplateSite[] {
  const base = fromPointer(node.location.pointer);
  const at = (key: string, value: JsonValue | undefined): TemplateSite[] =>
    deepSites(value, [...base, key], node, 'node');
  switch (node.type) {
    case 'agent':
      return [
        ...at('prompt', node.prompt),
        ...at('system_prompt', node.systemPrompt),
        ...at('images', node.images),
        ...deepSites(node.validator?.criteria, [...base, 'validator', 'criteria'], node, 'node'),
      ];
    case 'supervisor':
      return [...at('prompt', node.prompt), ...at('system_prompt', node.systemPrompt)];
    case 'script':
      return [
        ...at('command', node.command),
        ...at('args', node.args),
        ...at('env', node.env),
        ...at('working_dir', node.workingDir),
        ...at('stdin', node.stdin),
      ];
    case 'call':
    case 'tool':
    case 'transform':
      return at('arguments', node.arguments);
    case 'set':
      return [...at('value', node.value), ...at('values', node.values), ...at('state', node.state)];
    case 'wait':
      return [
        ...(typeof node.duration === 'string' ? at('duration', node.duration) : []),
        ...at('reason', node.reason),
      ];
    case 'human_gate':
      return [...at('prompt', node.prompt), ...gateSites(node, base)];
    case 'workflow':
      return at('input_mapping', node.inputMapping);
    case 'terminate':
      return [...at('reason', node.reason), ...at('output_template', node.outputTemplate)];
    case 'for_each': {
      const [source, keyBy] = [at('source', node.source), at('key_by', node.keyBy)];
      return [
        ...source.map((site) => ({ ...site, bare: 'names' as const })),
        ...keyBy.map((site) => ({ ...site, bare: 'names' as const, also: node.as })),
      ];
    }
    case 'parallel':
      return [];
  }
}

function gateSites(node: HumanGatePlan, base: Path): TemplateSite[] {
  const { list = [], source } = node.questions ?? {};
  const at = (value: string | undefined, ...path: Path): TemplateSite[] =>
    deepSites(value, [...base, ...path], node, 'node');
  return [
    ...node.options.flatMap(({ label }, index) => at(label, 'options', index, 'label')),
    ...list.flatMap(({ text, hint }, index) => [
      ...at(text, 'questions', index, 'text'),
      ...at(hint, 'questions', index, 'hint'),
    ]),
    ...at(source, 'source').map((site) => ({ ...site, bare: 'names' as const })),
  ];
}

function assertionSites(assertion: Assertion, node: NodePlan): TemplateSite[] {
  const base = fromPointer(assertion.pointer);
  return [
    guardSite(assertion.that, [...base, 'that'], node),
    ...deepSites(assertion.message, [...base, 'message'], node, 'routes'),
  ].map(afterSuccess);
}

function routeSites(route: Route, node: NodePlan | undefined): TemplateSite[] {
  const base = fromPointer(route.pointer);
  const { move, onError, when } = route;
  const sites = [
    ...(when === undefined ? [] : [guardSite(when, [...base, 'when'], node)]),
    ...(move.type === 'to' ? deepSites(move.output, [...base, 'output'], node, 'routes') : []),
    ...(move.type === 'halt'
      ? deepSites(move.message, [...base, 'halt', 'message'], node, 'routes')
      : []),
  ];
  return onError === undefined ? sites.map(afterSuccess) : sites;
}

function afterSuccess(site: TemplateSite): TemplateSite {
  return { ...site, isAfterSuccess: true };
}

function guardSite(source: string, path: Path, node: NodePlan | undefined): TemplateSite {
  return { source, path, node, scope: 'routes', bare: 'fields' };
}

function fileSite(source: string, path: Path): TemplateSite {
  return { source, path, node: undefined, scope: 'file' };
}

/** Strings within lists and maps are templates too. */
function deepSites(
  value: unknown,
  path: Path,
  node: NodePlan | undefined,
  scope: TemplateSite['scope'],
): TemplateSite[] {
  if (typeof value === 'string') return [{ source: value, path, node, scope }];
  if (isArray(value))
    return value.flatMap((item, index) => deepSites(item, [...path, index], node, scope));
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    deepSites(item, [...path, key], node, scope),
  );
}
