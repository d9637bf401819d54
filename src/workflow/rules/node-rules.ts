/** Rules for one node, beyond the form of its fields. */
import { suggest } from '../../errors/support/suggest.ts';
import { isTemplate } from '../plan/model-names.ts';
import type { NodeType } from '../plan/node-plan.ts';
import type { Path } from '../plan/pointer.ts';
import { DONE } from '../plan/route-plan.ts';
import type { ReportProblem } from '../diagnostics/problem.ts';
import { describeValue, listed, quoted } from '../diagnostics/diagnostic-words.ts';
import { checkFields, checkOutputSchema } from './field-rules.ts';
import { checkRaises, declaredKinds } from './kind-rules.ts';
import { checkModel, checkProviderName } from './model-rules.ts';
import { asList, asMap, textItems, type Raw } from './read-raw.ts';
import { checkRoutes, checkSuccessRoute } from './route-rules.ts';
import { routeReadingExitCode } from '../nodes/script.ts';

type Rule = (node: Raw, path: Path, report: ReportProblem) => void;

/** Names at the root of every template: templates could never read a node of that name. */
const TAKEN_NAMES: ReadonlySet<string> = new Set(['workflow', 'state', 'failing']);
/** Names with another meaning in some templates, and keywords. */
const SHADOWED_NAMES: ReadonlySet<string> = new Set(
  `output error attempt context loop _index _key true false none null and or not in is if else for
   set True False None`.split(/\s+/),
);

export function checkNode(type: NodeType, node: Raw, path: Path, report: ReportProblem): void {
  checkName(node, path, report);
  checkRaises(node, path, report);
  checkRoutes(node['routes'], [...path, 'routes'], declaredKinds(node), report);
  if (!everyOptionLeadsOn(type, node))
    checkSuccessRoute(node['routes'], [...path, 'routes'], report);
  checkModel(node['model'], [...path, 'model'], report);
  checkProviderName(node['provider'], [...path, 'provider'], report);
  RULES[type]?.(node, path, report);
}

function checkName(node: Raw, path: Path, report: ReportProblem): void {
  const { name } = node;
  if (typeof name !== 'string') return;
  const isTaken = TAKEN_NAMES.has(name);
  if (!isTaken && !SHADOWED_NAMES.has(name)) return;
  report({
    code: isTaken ? 'bad-name' : 'shadowed-name',
    severity: isTaken ? 'error' : 'warning',
    message: isTaken
      ? `A node cannot be called ${quoted(name)}: templates use that name for something else`
      : `In some templates the name ${quoted(name)} means something other than this node`,
    path: [...path, 'name'],
    suggestion: `Rename it, for example to \`${name.replace(/^_+/, '').toLowerCase()}_node\``,
  });
}

/** With a `route` on each option the success routes are never used. */
function everyOptionLeadsOn(type: NodeType, node: Raw): boolean {
  const options = asList(node['options']);
  return (
    type === 'human_gate' && options.length > 0 && options.every((each) => 'route' in asMap(each))
  );
}

const checkOutput: Rule = (node, path, report) => {
  checkExclusive(node, path, ['output', 'output_schema'], report);
  checkFields(node['output'], [...path, 'output'], report);
  checkOutputSchema(node['output_schema'], [...path, 'output_schema'], report);
};

const RULES: Readonly<Partial<Record<NodeType, Rule>>> = {
  agent: (node, path, report) => {
    checkOutput(node, path, report);
    checkExclusive(node, path, ['max_turns', 'max_agent_iterations'], report);
    checkExclusive(node, path, ['timeout_seconds', 'max_session_seconds'], report);
    if ('working_dir' in node)
      report({
        code: 'not-used',
        severity: 'info',
        message: 'An agent has no folder of its own: its tools run where their MCP server runs',
        path: [...path, 'working_dir'],
        at: 'key',
        suggestion: 'Set `working_dir` under `workflow.runtime`, for all MCP servers of the file',
      });
  },
  call: checkOutput,
  tool: checkOutput,
  transform: checkOutput,
  script: (node, path, report) => {
    checkOutput(node, path, report);
    checkExclusive(node, path, ['timeout_seconds', 'timeout'], report);
    checkExitCodes(node, path, report);
  },
  set: (node, path, report) => {
    checkExclusive(node, path, ['value', 'values'], report);
    if ('output_type' in node && !('value' in node))
      report({
        code: 'either-or',
        message: 'Only a set node with `value` has an `output_type`',
        path: [...path, 'output_type'],
        at: 'key',
        suggestion: 'Leave it out: each template under `values` keeps its type',
      });
    if ('value' in node || 'values' in node || 'state' in node) return;
    report({
      code: 'either-or',
      message: 'A set node needs `value`, `values` or `state`',
      path,
      suggestion: 'value: a template',
    });
  },
  human_gate: checkGate,
  workflow: checkChildPath,
  supervisor: (node, path, report) => {
    checkDistinct(node['manages'], [...path, 'manages'], report);
    checkManaged(node['manages'], [...path, 'manages'], report);
  },
  parallel: (node, path, report) => {
    checkDistinct(node['agents'], [...path, 'agents'], report);
    checkQuorum(node, path, report);
  },
  for_each: checkQuorum,
};

function checkExclusive(
  node: Raw,
  path: Path,
  keys: readonly string[],
  report: ReportProblem,
): void {
  const present = keys.filter((key) => key in node);
  const second = present[1];
  if (second === undefined) return;
  report({
    code: 'either-or',
    message: `${listed(present.map(quoted))} mean the same thing; a node has one of them`,
    path: [...path, second],
    at: 'key',
    suggestion: `Remove ${listed(present.map(quoted), 'or')}`,
  });
}

function checkExitCodes(node: Raw, path: Path, report: ReportProblem): void {
  const index = routeReadingExitCode(node['name'], node['routes']);
  if (index < 0 || node['exit_codes'] !== undefined) return;
  report({
    code: 'exit-codes-any',
    severity: 'info',
    message:
      'This guard reads `exit_code`, so every exit code of the script counts as a result, not as a failure',
    path: [...path, 'routes', index, 'when'],
    suggestion:
      'Write `exit_codes: any` on the node to confirm this, or list the exit codes that are results',
  });
}

function checkQuestions(node: Raw, path: Path, report: ReportProblem): void {
  if ('questions' in node !== 'source' in node) return;
  report({
    code: 'either-or',
    message: 'A questions node needs either `questions` or `source`',
    path,
    suggestion: 'Write the questions under `questions`, or name a list of them under `source`',
  });
}

function checkGate(node: Raw, path: Path, report: ReportProblem): void {
  if (node['type'] === 'questions') checkQuestions(node, path, report);
  const values = asList(node['options']).map((option, index) => {
    const { value, label } = asMap(option);
    if (value === undefined && label === undefined && typeof option === 'object') {
      report({
        code: 'either-or',
        message: 'An option needs `value` or `label`',
        path: [...path, 'options', index],
        suggestion: 'Add `label`: the text that the person reads',
      });
    }
    return value ?? label;
  });
  for (const [index, value] of values.entries()) {
    if (value === undefined || values.indexOf(value) === index) continue;
    report({
      code: 'duplicate-name',
      message: `Two options have ${describeValue(value)} as their value`,
      path: [...path, 'options', index],
      suggestion: 'Give each option a `value` of its own',
    });
  }
  const fallback = node['default'];
  if (fallback === undefined || values.length === 0) return;
  if (values.includes(fallback)) {
    checkDefaultNeedsNoText(node, path, values.indexOf(fallback), report);
    return;
  }
  const meant = typeof fallback === 'string' ? suggest(fallback, values.map(String)) : undefined;
  report({
    code: 'bad-value',
    message: `The default is ${describeValue(fallback)}, and no option has that value`,
    path: [...path, 'default'],
    expected: `one of ${listed(values.map(String), 'or')}`,
    ...(meant === undefined ? {} : { suggestion: meant }),
  });
}

/** The default applies when nobody answers, so it cannot be an option that asks for text. */
function checkDefaultNeedsNoText(
  node: Raw,
  path: Path,
  option: number,
  report: ReportProblem,
): void {
  const name = asMap(asList(node['options'])[option])['prompt_for'];
  if (typeof name !== 'string') return;
  report({
    code: 'bad-value',
    message: `The default is ${describeValue(node['default'])}, an option that asks for the text ${quoted(name)}, but nobody can enter it when the gate expires`,
    path: [...path, 'default'],
    expected: 'an option without `prompt_for`',
    suggestion:
      'Add an option without `prompt_for` for this, or remove `default` and route `gate.expired`',
  });
}

/** Conductor also accepts `name@registry#ref`, which would have to be fetched. */
function checkChildPath(node: Raw, path: Path, report: ReportProblem): void {
  const { workflow } = node;
  if (typeof workflow !== 'string') return;
  if (!isTemplate(workflow) && !/^[\w.-]+@[\w./-]+(#.*)?$/.test(workflow)) return;
  report({
    code: 'unsupported-value',
    kind: 'validation.unsupported',
    message: `\`workflow\` must be the path of a file, not ${quoted(workflow)}`,
    path: [...path, 'workflow'],
    expected: 'a path from this file, such as ./child.yaml',
    suggestion: isTemplate(workflow)
      ? 'Write one node for each workflow, and routes with `when` to choose between them'
      : 'Copy the workflow beside this file and name it by its path',
  });
}

function checkDistinct(list: unknown, path: Path, report: ReportProblem): void {
  const seen = new Set<string>();
  for (const [name, index] of textItems(list)) {
    if (seen.has(name)) {
      report({
        code: 'duplicate-name',
        message: `${quoted(name)} is listed twice`,
        path: [...path, index],
        suggestion: 'Remove one of them',
      });
    }
    seen.add(name);
  }
}

/** The model could not say whether it means the node. */
function checkManaged(list: unknown, path: Path, report: ReportProblem): void {
  for (const [name, index] of textItems(list))
    if (name === DONE)
      report({
        code: 'bad-name',
        message: `A supervisor cannot manage a node called ${quoted(name)}: its model says that when nothing is left to do`,
        path: [...path, index],
        suggestion: `Rename the node, for example to \`${name}_node\``,
      });
}

function checkQuorum(node: Raw, path: Path, report: ReportProblem): void {
  const { failure_mode: mode, quorum, agents } = node;
  if (mode === 'quorum' && quorum === undefined) {
    report({
      code: 'missing-key',
      message: 'The failure mode `quorum` needs `quorum`, the number of members that must succeed',
      path,
      suggestion: 'quorum: 1',
    });
  }
  if (mode !== 'quorum' && quorum !== undefined) {
    report({
      code: 'either-or',
      message: '`quorum` has an effect only with the failure mode `quorum`',
      path: [...path, 'quorum'],
      at: 'key',
      suggestion: 'failure_mode: quorum',
    });
  }
  if (typeof quorum === 'number' && Array.isArray(agents) && quorum > agents.length) {
    report({
      code: 'bad-value',
      message: `\`quorum\` is ${quorum}, and the group has ${agents.length} ${agents.length === 1 ? 'member' : 'members'}`,
      path: [...path, 'quorum'],
      expected: `a number from 1 to ${agents.length}`,
    });
  }
}
