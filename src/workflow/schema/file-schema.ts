/** A whole workflow file. */
import {
  forEachSchema,
  nodeSchema,
  parallelSchema,
  type ForEachFile,
  type NodeFile,
} from './node-schema.ts';
import { headerSchema, outputSchema } from './header-schema.ts';
import { hinted, list, strict, text, type FromFile } from './leaf.ts';

export const fileSchema = hinted(
  strict(
    'a workflow file',
    'A workflow for Errand.',
    {
      workflow: headerSchema,
      agents: list('The nodes.', nodeSchema).optional(),
      nodes: list('The nodes; another name for `agents`.', nodeSchema).optional(),
      parallel: list('Groups whose members run side by side.', parallelSchema).optional(),
      for_each: list('Groups with one member for each item of a list.', forEachSchema).optional(),
      tools: list(
        'The tools of agents that name none.',
        text('A tool: its name, or server/name.'),
      ).optional(),
      output: outputSchema.optional(),
    },
    {
      agents: [{ name: 'classify', prompt: 'Label {{ workflow.input.ticket }}' }],
      nodes: [{ name: 'classify', prompt: 'Label {{ workflow.input.ticket }}' }],
      parallel: [{ name: 'both', agents: ['publish', 'escalate'] }],
      for_each: [
        {
          name: 'each_ticket',
          source: 'workflow.input.tickets',
          as: 'ticket',
          agent: { name: 'label', prompt: 'Label {{ ticket }}' },
        },
      ],
      tools: ['search', 'tickets/read'],
      output: { label: '{{ classify.output.result }}' },
    },
  ),
  { not: { required: ['agents', 'nodes'] } },
);

export type WorkflowFile = FromFile<typeof fileSchema>;
export type { ForEachFile, NodeFile };
