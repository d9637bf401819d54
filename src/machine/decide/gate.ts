/**
 * Gates: opens the gate of a `human_gate` node, follows the answer to a failure or an approval, and
 * decides what happens when no one answers in time.
 */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { HumanGatePlan, NodePlan } from '../../workflow/plan/node-plan.ts';
import { askPerson, type Question } from '../gates/ask-person.ts';
import { completeNode, type Decision } from './complete-node.ts';
import { startAttempt } from './start-attempt.ts';
import { decideFailure } from './choose-route.ts';
import { editedValue } from '../policy/unknown-outcome.ts';
import { evaluateText } from './evaluate-templates.ts';
import type { EffectRef, EventBody } from '../state/events.ts';
import { nodeFailed, failureAt } from './failure-reports.ts';
import { afterApproval } from '../policy/tool-approval.ts';
import { templateContext } from './template-context.ts';
import { fileOf, nodeOf, visitOf } from '../state/plan-lookup.ts';
import { questionsFor, questionsOutput, questionsText } from '../gates/gate-questions.ts';
import type { RunState, Scope, Visit } from '../state/state.ts';

/** Throws `validation.template`. */
export function openGate(state: RunState, scope: Scope, node: HumanGatePlan): readonly EventBody[] {
  const visit = visitOf(scope);
  const names = templateContext(state, scope, { node });
  const questions = node.questions === undefined ? undefined : questionsFor(node.questions, names);
  // nothing to ask
  if (questions?.length === 0)
    return completeNode(state, scope, questionsOutput({ answers: {} }, questions));
  if (!state.hasPeople) return [nodeFailed(visit, nobodyToAsk(state, scope, node))];
  return [askGate(state, visit, node, { prompt: evaluateText(node.prompt, names), questions })];
}

function askGate(
  state: RunState,
  visit: Visit,
  node: HumanGatePlan,
  { prompt, questions }: Pick<Question, 'prompt' | 'questions'>,
): EventBody {
  return askPerson(state, visit, {
    prompt: questions === undefined ? prompt : questionsText(prompt, questions),
    questions,
    options: optionsFor(node, questions),
    promptFor: node.options.flatMap(({ value, promptFor }) =>
      promptFor === undefined ? [] : [{ value, name: promptFor }],
    ),
    timeoutMs: node.expiresMs,
  });
}

/** Questions that a model wrote may be required; then nobody may skip all of them. */
function optionsFor({ options }: HumanGatePlan, questions: Question['questions']): JsonValue[] {
  const isRequired = questions?.some((each) => each.isRequired) === true;
  const values = options.map(({ value }) => value);
  return isRequired ? values.filter((value) => value !== 'skip') : values;
}

/** Waits for the answer, or expires the gate at its deadline. */
export function decideAsking(state: RunState, scope: Scope, gate: string): Decision {
  const deadlineMs = state.gates.get(gate)?.deadlineMs;
  if (deadlineMs === undefined) return { events: [] };
  const { node, path } = visitOf(scope);
  return state.nowMs < deadlineMs
    ? { events: [], wakeAtMs: deadlineMs }
    : { events: [{ type: 'gate:expired', node, path, gate }] };
}

type Answered = Extract<Visit['phase'], { type: 'answered' }>;

export function afterAnswer(
  state: RunState,
  scope: Scope,
  { value, given }: Answered,
): readonly EventBody[] {
  const visit = visitOf(scope);
  const where = { node: visit.node, path: visit.path };
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  if (visit.error === undefined && node.type === 'tool')
    return [afterApproval(state, scope, value)];
  if (visit.error === undefined)
    return completeNode(state, scope, outputOf(state, scope, node, value));
  if (value === 'retry' || value === 'repeat')
    return startAttempt(state, scope, visit.node, visit.attempt + 1);
  if (value === 'skip')
    return [
      { type: 'node:skipped', ...where, reason: 'a person chose to continue without it' },
      { type: 'node:completed', ...where, output: visit.output ?? null },
    ];
  if (value === 'abort')
    return [
      {
        type: 'route:taken',
        ...where,
        move: 'propagate',
        bucket: 'default',
        kind: visit.error.kind,
      },
    ];
  // null is a result too
  const edit = editedValue(value);
  const edited = edit === undefined ? value : edit;
  if (given !== undefined) return resultFromPerson(state, scope, given, edited);
  return [{ type: 'node:completed', ...where, output: edited }];
}

/** Continues the conversation with a result that a person supplied for a call in doubt. */
function resultFromPerson(
  state: RunState,
  scope: Scope,
  effect: EffectRef,
  output: JsonValue,
): readonly EventBody[] {
  const { node, path, attempt } = visitOf(scope);
  return [
    { type: 'effect:succeeded', node, path, effect, output, given: true },
    ...startAttempt(state, scope, node, attempt + 1),
  ];
}

function outputOf(state: RunState, scope: Scope, node: NodePlan, value: JsonValue): JsonValue {
  if (node.type !== 'human_gate' || node.questions === undefined) return gateOutput(value);
  const names = templateContext(state, scope, { node });
  return questionsOutput(value, questionsFor(node.questions, names));
}

function gateOutput(value: JsonValue): JsonValue {
  const isWhole = typeof value === 'object' && value !== null && 'selected' in value;
  return isWhole ? value : { selected: value, additional_input: null };
}

export function afterExpiry(state: RunState, scope: Scope): readonly EventBody[] {
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  if (visit.error !== undefined) return decideFailure(state, scope);
  if (node.type === 'tool') return [afterApproval(state, scope, 'deny')];
  if (!state.hasPeople) return [nodeFailed(visit, nobodyToAsk(state, scope, node))];
  if (node.type === 'human_gate' && node.default !== undefined)
    return completeNode(state, scope, gateOutput(node.default));
  const error = failureAt(state, scope, visit.node, {
    kind: 'gate.expired',
    message: `No one answered ${visit.node} in time`,
  });
  return [nodeFailed(visit, error)];
}

function nobodyToAsk(state: RunState, scope: Scope, { name }: NodePlan): ErrorReport {
  return failureAt(state, scope, name, {
    kind: 'gate.no_one_to_ask',
    message: `${name} asks a person, and this run has no one to ask`,
  });
}
