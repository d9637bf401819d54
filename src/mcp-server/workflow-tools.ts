/** The tools that start runs: one for each workflow, or one for all if there are many. */
import { visible } from '../errors/support/printable.ts';
import { isJsonObject, type JsonObject } from '../errors/support/safe-json.ts';
import type { McpWorkflow } from './host.ts';
import { builtinTool, DEFAULT_WAIT_SECONDS, waitField, type ToolDefinition } from './tools.ts';

/** Every tool costs its model part of the context. */
const MOST_TOOLS = 20;
const MAX_LIST_CHARS = 8000;
const START_RUN = 'start_run';

export interface StartTool extends ToolDefinition {
  /** Absent if an argument names the workflow. */
  readonly workflow?: string;
  /** The names that are not inputs of the workflow. */
  readonly own: readonly string[];
}

const OWN: Readonly<Record<string, JsonObject>> = {
  _wait_seconds: waitField(DEFAULT_WAIT_SECONDS),
  _key: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description:
      'A name for this start: the same key and input again give the same run, so a call can be repeated safely.',
  },
};

const RESULT =
  'The result has the id of the run, its status, and what can be done next. A run outlives the call: read it with get_run.';

export function startTools(workflows: readonly McpWorkflow[]): readonly StartTool[] {
  if (workflows.length > MOST_TOOLS) return [startRunTool(workflows)];
  const names = toolNames(workflows.map(({ name }) => name));
  return workflows.map((workflow) => toolOf(workflow, names.get(workflow.name) ?? workflow.name));
}

/**
 * A workflow keeps its own name if that can name a tool; in others `_` replaces the characters that
 * a tool's name cannot have.
 */
function toolNames(workflows: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const plain = (name: string): string => name.replaceAll(/[^\w-]/g, '_');
  const inOrder = [
    ...workflows.filter((name) => plain(name) === name),
    ...workflows.filter((name) => plain(name) !== name),
  ];
  for (const workflow of inOrder) {
    let name = plain(workflow);
    while (taken.has(name) || builtinTool(name) !== undefined) name = `run_${name}`;
    taken.add(name);
    names.set(workflow, name);
  }
  return names;
}

function toolOf({ name: workflow, description, input }: McpWorkflow, name: string): StartTool {
  const properties = input?.['properties'];
  const inputs = isJsonObject(properties) ? properties : {};
  // an input of the workflow wins over an argument of ours
  const own = Object.keys(OWN).filter((each) => !Object.hasOwn(inputs, each));
  const added = Object.fromEntries(own.map((each) => [each, OWN[each] ?? {}]));
  const what = description ?? `Run the workflow ${workflow}.`;
  const broken = input === null ? ' Its file is not valid: validate_workflow says why.' : '';
  return {
    name,
    workflow,
    own,
    description: `${visible(what)}${broken}\n\n${RESULT}`,
    inputSchema: {
      ...(input ?? { type: 'object' }),
      properties: { ...described(inputs), ...added },
    },
    annotations: { destructiveHint: true },
  };
}

/** Clients show the descriptions of inputs; the rest of a schema is data. */
function described(inputs: JsonObject): JsonObject {
  const entries = Object.entries(inputs).map(([name, field]) => {
    const about = isJsonObject(field) ? field['description'] : undefined;
    return [
      name,
      isJsonObject(field) && typeof about === 'string'
        ? { ...field, description: visible(about) }
        : field,
    ] as const;
  });
  return Object.fromEntries(entries);
}

function startRunTool(workflows: readonly McpWorkflow[]): StartTool {
  return {
    name: START_RUN,
    own: Object.keys(OWN),
    description: visible(
      `Start a run of a workflow. ${RESULT}\n\nWorkflows:\n${listed(workflows)}`,
    ),
    inputSchema: {
      type: 'object',
      properties: {
        workflow: { type: 'string', minLength: 1, description: 'The name of the workflow.' },
        input: { type: 'object', description: 'Its inputs.' },
        ...OWN,
      },
      required: ['workflow'],
      additionalProperties: false,
    },
    annotations: { destructiveHint: true },
  };
}

/** Lists as many as fit; `validate_workflow` and a refused start show the rest. */
function listed(workflows: readonly McpWorkflow[]): string {
  const lines = workflows.map(({ name, description = '', input }) => {
    const properties = input?.['properties'];
    const inputs = isJsonObject(properties) ? Object.keys(properties) : [];
    const [about = ''] = description.split('\n');
    const takes = inputs.length === 0 ? '' : ` (input: ${inputs.join(', ')})`;
    return `- ${name}${takes}${about === '' ? '' : `: ${about.slice(0, 200)}`}`;
  });
  let room = MAX_LIST_CHARS;
  const shown = lines.filter((line) => (room -= line.length + 1) >= 0);
  const left = lines.length - shown.length;
  return [...shown, ...(left === 0 ? [] : [`- and ${left} more`])].join('\n');
}
