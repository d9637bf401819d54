/** One schema for all node types: a union by `type`; a node without a type is an agent. */
import { agentShape, type AgentFile } from '../nodes/agent.ts';
import { callShape, type CallFile } from '../nodes/call.ts';
import { extensionShape, type ExtensionFile } from '../nodes/extension.ts';
import {
  forEachShape,
  forEachType,
  parallelShape,
  parallelType,
  type ForEachFields,
  type ParallelFile,
} from '../nodes/groups.ts';
import { humanGateShape, type HumanGateFile } from '../nodes/human-gate.ts';
import { questionsShape, type QuestionsFile } from '../nodes/questions.ts';
import { scriptShape, type ScriptFile } from '../nodes/script.ts';
import { setShape, type SetFile } from '../nodes/set.ts';
import { supervisorShape, type SupervisorFile } from '../nodes/supervisor.ts';
import { terminateShape, type TerminateFile } from '../nodes/terminate.ts';
import { toolShape, type ToolFile } from '../nodes/tool.ts';
import { transformShape, type TransformFile } from '../nodes/transform.ts';
import { waitShape, type WaitFile } from '../nodes/wait.ts';
import { workflowShape, type ChildFile } from '../nodes/workflow.ts';
import type { NodeType } from '../plan/node-plan.ts';
import { hinted, later, oneByKey, strict, type Schema } from './leaf.ts';

export interface ForEachFile extends ForEachFields {
  agent: NodeFile;
}

/** The node types that may be in `agents`; groups there need a `type`. */
export type NodeFile =
  | AgentFile
  | CallFile
  | ExtensionFile
  | ScriptFile
  | ToolFile
  | TransformFile
  | SetFile
  | WaitFile
  | HumanGateFile
  | QuestionsFile
  | ChildFile
  | SupervisorFile
  | TerminateFile
  | (ParallelFile & { type: 'parallel' })
  | (ForEachFile & { type: 'for_each' });

/** Names of node types in messages. */
export const NODE_NOUNS: Readonly<Record<NodeType, string>> = {
  agent: 'an agent',
  call: 'a call',
  script: 'a script',
  tool: 'a tool node',
  transform: 'a transform',
  set: 'a set node',
  wait: 'a wait',
  human_gate: 'a human gate',
  workflow: 'a workflow node',
  supervisor: 'a supervisor',
  terminate: 'a terminate node',
  parallel: 'a parallel group',
  for_each: 'a for_each group',
};

const noOutputTwice = { not: { required: ['output', 'output_schema'] } };

export const nodeSchema: Schema<NodeFile> = later(() => union);

const agent = hinted(strict(NODE_NOUNS.agent, 'A model replies to a prompt.', agentShape), {
  id: 'agent',
  allOf: [
    noOutputTwice,
    { not: { required: ['max_turns', 'max_agent_iterations'] } },
    { not: { required: ['timeout_seconds', 'max_session_seconds'] } },
  ],
  defaultSnippets: [
    {
      label: 'agent',
      description: 'A model replies to a prompt',
      body: {
        name: '${1:name}',
        prompt: '${2:What to do}',
        routes: [{ to: '\\$end' }, { on_error: '^true', to: '${3:handler}' }],
      },
    },
  ],
});

const script = hinted(strict(NODE_NOUNS.script, 'A program.', scriptShape), {
  id: 'script',
  allOf: [noOutputTwice, { not: { required: ['timeout', 'timeout_seconds'] } }],
  defaultSnippets: [
    {
      label: 'script',
      description: 'A program',
      body: {
        name: '${1:name}',
        type: 'script',
        command: '${2:bash}',
        args: ['-c', '${3:command}'],
        routes: [{ to: '\\$end' }],
      },
    },
  ],
});

const set = hinted(strict(NODE_NOUNS.set, 'Values from templates.', setShape), {
  id: 'set',
  anyOf: ['value', 'values', 'state'].map((key) => ({ required: [key] })),
  not: { required: ['value', 'values'] },
});

const isQuorum = { properties: { failure_mode: { const: 'quorum' } }, required: ['failure_mode'] };
const hasNumber = { required: ['quorum'] };
const quorumTogether = {
  oneOf: [{ allOf: [isQuorum, hasNumber] }, { not: { anyOf: [isQuorum, hasNumber] } }],
};

const PARALLEL_HINTS = { ...quorumTogether };

const parallelNode = hinted(
  strict(NODE_NOUNS.parallel, 'Members side by side.', { type: parallelType, ...parallelShape }),
  PARALLEL_HINTS,
);

const forEachNode = hinted(
  strict(NODE_NOUNS.for_each, 'One member for each item of a list.', {
    type: forEachType,
    ...forEachShape(nodeSchema),
  }),
  quorumTogether,
);

/** In its own list a group needs no `type`. */
export const parallelSchema = hinted(
  strict(NODE_NOUNS.parallel, 'Members side by side.', {
    type: parallelType.optional(),
    ...parallelShape,
  }),
  { id: 'parallel', ...PARALLEL_HINTS },
);

export const forEachSchema = hinted(
  strict(NODE_NOUNS.for_each, 'One member for each item of a list.', {
    type: forEachType.optional(),
    ...forEachShape(nodeSchema),
  }),
  { id: 'forEach', ...quorumTogether },
);

const union = hinted(
  oneByKey('type', 'a node', [
    agent,
    script,
    set,
    hinted(strict(NODE_NOUNS.call, 'A function.', callShape), { id: 'call', ...noOutputTwice }),
    hinted(
      strict('a node of an extension', 'What an extension does under this type.', extensionShape),
      { id: 'extensionNode', ...noOutputTwice },
    ),
    hinted(strict(NODE_NOUNS.tool, 'One call of a tool.', toolShape), {
      id: 'tool',
      ...noOutputTwice,
    }),
    hinted(strict(NODE_NOUNS.transform, 'JavaScript in a sandbox.', transformShape), {
      id: 'transform',
      ...noOutputTwice,
    }),
    hinted(strict(NODE_NOUNS.wait, 'Waits for a time.', waitShape), { id: 'wait' }),
    hinted(strict(NODE_NOUNS.human_gate, 'A person chooses.', humanGateShape), {
      id: 'humanGate',
    }),
    hinted(strict('a questions node', 'A person answers a list of questions.', questionsShape), {
      id: 'questions',
      oneOf: [{ required: ['questions'] }, { required: ['source'] }],
    }),
    hinted(strict(NODE_NOUNS.workflow, 'Another workflow.', workflowShape), {
      id: 'workflowNode',
    }),
    hinted(strict(NODE_NOUNS.supervisor, 'A model that decides.', supervisorShape), {
      id: 'supervisor',
    }),
    hinted(strict(NODE_NOUNS.terminate, 'Ends the workflow.', terminateShape), {
      id: 'terminate',
    }),
    parallelNode,
    forEachNode,
  ]),
  { id: 'node', description: 'One step of the workflow; without `type` it is an agent.' },
);
