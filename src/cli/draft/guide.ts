/**
 * The guide for a model that writes a workflow file: a valid example, the keys of each node type from the
 * schema, and the kinds from the catalog, so that it never describes an old format.
 */
import { RUNTIME_KINDS } from '../../errors/catalog/catalog.ts';
import { isJsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { workflowJsonSchema } from '../../workflow/schema/workflow-json-schema.ts';
import { firstWorkflow } from '../project/first-workflow.ts';

export function draftGuide(): string {
  return [
    'You write workflow files for Errand, a workflow engine that is built around failure.',
    'Answer with one YAML file and nothing else: no explanation, no code fence.',
    `# A file that is valid\n\n${exampleFile()}`,
    `# Node types and their keys\n\n${nodeTypes().join('\n')}`,
    `# Rules\n\n${RULES.map((rule) => `- ${rule}`).join('\n')}`,
    `# Kinds that on_error can name, beside your own\n\n${RUNTIME_KINDS.join(', ')}`,
  ].join('\n\n');
}

const RULES = [
  'Every node has a unique name of letters, digits, _ and -, and entry_point names the first. Nodes go under nodes:, groups under parallel: or for_each:.',
  'routes is one table: entries without on_error are for success, with it for failure; the first that matches is taken. Each entry has exactly one move: to: NODE or $end, retry: {max, initial_seconds}, ask: {options: [retry, skip, abort], timeout}, park: {for: 15m}, halt: {message}.',
  'A node with an error route needs a success route too. on_error is true (any), a kind, a list of kinds, or "prefix.*"; put true last.',
  'Own kinds are dotted and lowercase, such as order.missing; a node lists those it can fail with under raises. A script raises by writing {"kind", "message", "details"} to the file that $ERRAND_ERROR_OUT names.',
  'Values in {{ … }} are strict Jinja: workflow.input.NAME, NODE.output.FIELD, GROUP.outputs, failing.error.message after an error route. A name that may be missing needs | default(…).',
  'output: of an agent or script is a map of fields, each {type: string | number | boolean | array | object, enum?}; without it an agent gives {result: text}.',
  'Give agents timeout_seconds and tools: [], the file limits: {budget_usd, timeout_seconds, max_iterations}, and say on_unhandled: fail where a failure may end the run.',
  'Use no module and no MCP server unless the goal names it. Write everything into this one file: while it is checked no other file can be read and no variable is set, so ${VAR} needs a default as in ${VAR:-default}.',
];

/** The comment on top is for people who have just typed `errand init`. */
function exampleFile(): string {
  const text = firstWorkflow({ file: 'workflow.yaml', name: 'example', schema: '' });
  return text.slice(text.indexOf('\nworkflow:') + 1);
}

function nodeTypes(): string[] {
  const { definitions } = workflowJsonSchema();
  return Object.values(isJsonObject(definitions) ? definitions : {}).flatMap((definition) => {
    const keys = keysOf(definition);
    const type = constOf(keys['type']);
    if (type === undefined) return [];
    const others = Object.keys(keys).filter((key) => key !== 'type');
    const about = isJsonObject(definition) ? definition['description'] : undefined;
    const words = typeof about === 'string' ? about : '';
    return [`- type: ${type}. ${words} Keys: ${others.join(', ')}`];
  });
}

function keysOf(definition: JsonValue): Readonly<Record<string, JsonValue>> {
  const properties = isJsonObject(definition) ? definition['properties'] : undefined;
  return isJsonObject(properties) ? properties : {};
}

function constOf(schema: JsonValue | undefined): string | undefined {
  const value = isJsonObject(schema) ? schema['const'] : undefined;
  return typeof value === 'string' ? value : undefined;
}
