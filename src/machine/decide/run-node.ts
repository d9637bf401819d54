/** Runs an attempt of a node, by its type. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { describeValue } from '../../workflow/diagnostics/diagnostic-words.ts';
import { DURATION_FORM, parseDuration } from '../../workflow/plan/duration.ts';
import { fitsType } from '../../workflow/json-schema/field-schema.ts';
import { childInput } from '../../workflow/plan/inputs.ts';
import type { NodePlan, SetPlan } from '../../workflow/plan/node-plan.ts';
import type { FieldType } from '../../workflow/plan/plan.ts';
import type { TemplateContext } from '../../workflow/template/context.ts';
import { completeNode, type Decision } from './complete-node.ts';
import { openGate } from './gate.ts';
import { decideAgent } from './agent.ts';
import { decideSupervisor } from './supervisor.ts';
import { unresolvedOutcome } from '../policy/unknown-outcome.ts';
import { effectRequest, requestedEvent } from './effect-request.ts';
import { evaluateDeep, evaluateObject, evaluateText } from './evaluate-templates.ts';
import type { EventBody } from '../state/events.ts';
import { nodeFailed, failureAt, thrownAt } from './failure-reports.ts';
import { replayKeptResult } from '../state/kept-results.ts';
import { templateContext } from './template-context.ts';
import { fileOf, nodeOf, visitOf, workflowScope } from '../state/plan-lookup.ts';
import type { RunState, Scope, Visit } from '../state/state.ts';
import { writtenState } from './written-state.ts';

export function runNode(state: RunState, scope: Scope): Decision {
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  try {
    return decideByType(state, scope, visit, node);
  } catch (thrown) {
    return { events: [nodeFailed(visit, thrownAt(state, scope, visit.node, thrown))] };
  }
}

function decideByType(state: RunState, scope: Scope, visit: Visit, node: NodePlan): Decision {
  switch (node.type) {
    case 'set': {
      const names = templateContext(state, scope, { node });
      const written = evaluateObject(node.state, names);
      return {
        events: completeNode(
          state,
          scope,
          setOutput(node, names),
          writtenState(state, scope, Object.entries(written)),
        ),
      };
    }
    case 'wait': {
      const untilMs =
        visit.startedAtMs + durationOf(node.duration, templateContext(state, scope, { node }));
      if (state.nowMs < untilMs) return { events: [], wakeAtMs: untilMs };
      return {
        events: completeNode(state, scope, {
          waited_seconds: (untilMs - visit.startedAtMs) / 1000,
        }),
      };
    }
    case 'human_gate':
      return { events: openGate(state, scope, node) };
    case 'workflow':
      return { events: [childStarted(state, scope, visit, node)] };
    case 'terminate':
      return { events: terminate(state, scope, visit, node) };
    case 'script':
    case 'call':
    case 'tool':
    case 'transform': {
      const request = effectRequest(state, scope);
      if (request === undefined) return { events: [] };
      const unknownOutcome = unresolvedOutcome(state, scope, request);
      if (unknownOutcome !== undefined) return { events: [nodeFailed(visit, unknownOutcome)] };
      const before = request.isIdempotent ? undefined : replayKeptResult(state, visit, request.ref);
      if (before !== undefined) return { events: [before] };
      return { events: [requestedEvent(state, visit, request.ref)], input: request.work };
    }
    case 'agent':
      return decideAgent(state, scope, node);
    case 'supervisor':
      return decideSupervisor(state, scope, node);
    case 'parallel':
    case 'for_each':
      return { events: [] };
  }
}

function childStarted(
  state: RunState,
  scope: Scope,
  { node: name, path }: Visit,
  node: Extract<NodePlan, { type: 'workflow' }>,
): EventBody {
  const names = templateContext(state, scope, { node });
  const child = fileOf(state.plan, node.workflow);
  const mapped =
    node.inputMapping === undefined
      ? workflowScope(state, scope).input
      : evaluateObject(node.inputMapping, names);
  const input = childInput(child, mapped);
  return { type: 'child:started', node: name, path, workflow: child.name, input };
}

function terminate(
  state: RunState,
  scope: Scope,
  visit: Visit,
  node: Extract<NodePlan, { type: 'terminate' }>,
): readonly EventBody[] {
  const names = templateContext(state, scope, { node });
  const output =
    node.outputTemplate === undefined ? null : evaluateObject(node.outputTemplate, names);
  if (node.status === 'success') return completeNode(state, scope, output);
  const reason =
    node.reason === undefined
      ? `${visit.node} ended the workflow`
      : evaluateText(node.reason, names);
  const error = failureAt(state, scope, visit.node, {
    kind: 'terminate.failed',
    message: reason,
    details: { output },
  });
  return [{ ...nodeFailed(visit, error), output }];
}

function setOutput(node: SetPlan, names: TemplateContext): JsonValue {
  if (node.values !== undefined) return evaluateObject(node.values, names);
  if (node.value === undefined) return {};
  const { value, valueType } = node;
  if (valueType === undefined) return evaluateDeep(value, names);
  if (valueType === 'string' && typeof value === 'string') return evaluateText(value, names);
  return ofType(evaluateDeep(value, names), valueType);
}

/**
 * Text of a whole object or list is already its value; here it may also be a number or a boolean.
 */
function ofType(value: JsonValue, type: FieldType): JsonValue {
  if (fitsType(value, type)) return value;
  if (type === 'string') return JSON.stringify(value);
  const read = typeof value === 'string' ? scalarIn(value.trim()) : value;
  if (fitsType(read, type)) return read;
  throw invalid(`The value is not of the type ${type} that \`output_type\` asks for`);
}

function scalarIn(text: string): JsonValue {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  const number = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : text;
}

function durationOf(duration: number | string, names: TemplateContext): number {
  if (typeof duration === 'number') return duration;
  const value = evaluateDeep(duration, names);
  const ms =
    typeof value === 'string' || typeof value === 'number' ? parseDuration(value) : undefined;
  if (ms === undefined)
    throw invalid(
      `\`duration\` must be ${DURATION_FORM}, or a number of seconds, not ${describeValue(value)}`,
    );
  return ms;
}

function invalid(message: string): ErrandError {
  return new ErrandError({ kind: 'validation.template', message });
}
