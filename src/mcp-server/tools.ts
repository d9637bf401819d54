/** The tools that every server has, each with the schema that checks its arguments. */
import type { JsonObject } from '../errors/support/safe-json.ts';
import { ATTENTIONS } from '../history/attention.ts';
import { RUN_STATUSES } from '../machine/ports/store-port.ts';

export interface Hints {
  readonly readOnlyHint?: true;
  readonly destructiveHint?: true;
  readonly idempotentHint?: true;
}

/** A tool as clients list it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations?: Hints;
}

export const DEFAULT_WAIT_SECONDS = 20;
/** Many clients give up after a minute. */
export const MAX_WAIT_SECONDS = 50;

const RUN = { type: 'string', minLength: 1, maxLength: 200, description: 'The id of the run.' };

export function waitField(seconds: number): JsonObject {
  return {
    type: 'number',
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    default: seconds,
    description: `How many seconds to wait for the run to rest, at most ${MAX_WAIT_SECONDS}. A run that takes longer continues.`,
  };
}

const WAIT = { wait_seconds: waitField(DEFAULT_WAIT_SECONDS) };

function listOf(words: readonly string[], description: string): JsonObject {
  return {
    description: `${description} One, or a list.`,
    anyOf: [
      { type: 'string', enum: words },
      { type: 'array', items: { type: 'string', enum: words } },
    ],
  };
}

function object(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

const READS: Hints = { readOnlyHint: true };

const READING = [
  {
    name: 'get_run',
    description:
      'Read a run: its status, output, failure, open questions and next moves. With `path`, read one whole value instead.',
    inputSchema: object(
      {
        run: RUN,
        wait_seconds: waitField(0),
        path: {
          type: 'string',
          minLength: 1,
          description:
            'The path of a node, for its output. $output and $input are those of the run.',
        },
      },
      ['run'],
    ),
    annotations: READS,
  },
  {
    name: 'list_runs',
    description: 'List runs, newest first, without their outputs.',
    inputSchema: object({
      attention: listOf(ATTENTIONS, 'Why somebody should look at them.'),
      status: listOf(RUN_STATUSES, 'Their status.'),
      workflow: { type: 'string', description: 'The name of their workflow.' },
      limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    }),
    annotations: READS,
  },
  {
    name: 'explain_failure',
    description:
      'Explain what failed in a run and what became of each failure, or what a kind of failure means.',
    inputSchema: {
      ...object({
        run: RUN,
        kind: {
          type: 'string',
          minLength: 1,
          maxLength: 200,
          description: 'A kind, such as provider.rate_limited.',
        },
      }),
      minProperties: 1,
      maxProperties: 1,
    },
    annotations: READS,
  },
  {
    name: 'validate_workflow',
    description:
      'Check a workflow file before it runs, or a text in its place: diagnostics with line, column and suggestion. Nothing is written.',
    inputSchema: object(
      {
        workflow: { type: 'string', minLength: 1, description: 'The name of the workflow.' },
        text: { type: 'string', description: 'YAML to judge instead of the file.' },
      },
      ['workflow'],
    ),
    annotations: READS,
  },
] as const satisfies readonly ToolDefinition[];

const MOVING = [
  {
    name: 'answer_question',
    description:
      'Answer an open question of a paused run with one of its options; the run continues. Some questions only a person may answer.',
    inputSchema: object(
      {
        run: RUN,
        gate: {
          type: 'string',
          minLength: 1,
          description: 'The question. Not needed where only one is open.',
        },
        opening: {
          type: 'integer',
          minimum: 1,
          description: 'Which asking of it is answered, as nextMoves has it: no later one is.',
        },
        value: { description: 'One of the options, or what the question asks for.' },
        ...WAIT,
      },
      ['run', 'value'],
    ),
  },
  {
    name: 'resume_run',
    description:
      'Resume a run that failed, was interrupted or waits, after its cause is mended; or run it again from a node. Finished work is kept.',
    inputSchema: object(
      {
        run: RUN,
        from: { type: 'string', minLength: 1, description: 'The node to run again from.' },
        input: { type: 'object', description: 'Inputs to replace.' },
        now: {
          type: 'boolean',
          description: 'Cut a park or a backoff short; a wait node keeps its time.',
        },
        accept_drift: {
          type: 'boolean',
          description: 'Keep results of nodes whose definition has changed.',
        },
        ...WAIT,
      },
      ['run'],
    ),
    annotations: { destructiveHint: true },
  },
  {
    name: 'cancel_run',
    description: 'Cancel a run for good. It cannot be resumed afterwards.',
    inputSchema: object(
      {
        run: RUN,
        reason: { type: 'string', maxLength: 2000, description: 'Why, for the audit.' },
        ...WAIT,
      },
      ['run'],
    ),
    annotations: { destructiveHint: true, idempotentHint: true },
  },
] as const satisfies readonly ToolDefinition[];

export type BuiltinName = (typeof READING)[number]['name'] | (typeof MOVING)[number]['name'];

export const READING_TOOLS: readonly ToolDefinition[] = READING;
export const MOVING_TOOLS: readonly ToolDefinition[] = MOVING;

const BUILTINS: ReadonlyMap<string, ToolDefinition & { readonly name: BuiltinName }> = new Map(
  [...READING, ...MOVING].map((tool) => [tool.name, tool]),
);

export function builtinTool(
  name: string,
): (ToolDefinition & { readonly name: BuiltinName }) | undefined {
  return BUILTINS.get(name);
}

export function isReading({ annotations }: ToolDefinition): boolean {
  return annotations?.readOnlyHint === true;
}
