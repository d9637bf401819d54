/** How a try begins and what it asks for, by the type of its node. */
import { ErrandError } from '../errors/errand-error.ts';
import type { JsonObject, JsonValue } from '../errors/json.ts';
import { DURATION_FORM, parseDuration } from '../workflow/duration.ts';
import { childInput } from '../workflow/inputs.ts';
import type { NodePlan, SetPlan } from '../workflow/node-model.ts';
import type { Scope as TemplateScope } from '../workflow/template/scope.ts';
import { completion, type Decision } from './completion.ts';
import { openGate } from './decide-gate.ts';
import { decideAgent } from './decide-talk.ts';
import { decideSupervisor } from './supervisor.ts';
import { stillInDoubt } from './doubt.ts';
import { effectRequest, requestedEvent } from './effect-request.ts';
import { evaluateDeep, evaluateObject, evaluateText } from './evaluate.ts';
import type { EventBody } from './events.ts';
import { failed, failureAt, thrownAt } from './failure.ts';
import { replayed } from './kept.ts';
import { mergeState } from './merge-state.ts';
import { namesIn } from './names.ts';
import { fileOf, nodeOf, visitOf, workflowScope } from './plan-lookup.ts';
import type { RunState, Scope, Visit } from './state.ts';

export function decideWork(state: RunState, scope: Scope): Decision {
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  try {
    return work(state, scope, visit, node);
  } catch (thrown) {
    return { events: [failed(visit, thrownAt(state, scope, visit.node, thrown))] };
  }
}

function work(state: RunState, scope: Scope, visit: Visit, node: NodePlan): Decision {
  switch (node.type) {
    case 'set': {
      const names = namesIn(state, scope, { node });
      const written = evaluateObject(node.state, names);
      return {
        events: completion(state, scope, setOutput(node, names), {
          state: mergedState(state, scope, written),
        }),
      };
    }
    case 'wait': {
      const untilMs =
        visit.startedAtMs + durationOf(node.duration, namesIn(state, scope, { node }));
      if (state.nowMs < untilMs) return { events: [], wakeAtMs: untilMs };
      return {
        events: completion(state, scope, { waited_seconds: (untilMs - visit.startedAtMs) / 1000 }),
      };
    }
    case 'human_gate':
      return { events: [openGate(state, scope, node)] };
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
      const doubt = stillInDoubt(state, scope, request);
      if (doubt !== undefined) return { events: [failed(visit, doubt)] };
      const before = request.isIdempotent ? undefined : replayed(state, visit, request.ref);
      if (before !== undefined) return { events: [before] };
      return { events: [requestedEvent(visit, request.ref)], work: request.work };
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
  const names = namesIn(state, scope, { node });
  const child = fileOf(state.plan, node.workflow);
  const given =
    node.inputMapping === undefined
      ? workflowScope(state, scope).input
      : evaluateObject(node.inputMapping, names);
  const input = childInput(child, given);
  return { type: 'child:started', node: name, path, workflow: child.name, input };
}

function terminate(
  state: RunState,
  scope: Scope,
  visit: Visit,
  node: Extract<NodePlan, { type: 'terminate' }>,
): readonly EventBody[] {
  const names = namesIn(state, scope, { node });
  const output =
    node.outputTemplate === undefined ? null : evaluateObject(node.outputTemplate, names);
  if (node.status === 'success') return completion(state, scope, output);
  const reason =
    node.reason === undefined
      ? `${visit.node} ended the workflow`
      : evaluateText(node.reason, names);
  const error = failureAt(state, scope, visit.node, {
    kind: 'terminate.failed',
    message: reason,
    details: { output },
  });
  return [{ ...failed(visit, error), output }];
}

function setOutput(node: SetPlan, names: TemplateScope): JsonValue {
  if (node.values !== undefined) return evaluateObject(node.values, names);
  return node.value === undefined ? {} : evaluateDeep(node.value, names);
}

function mergedState(state: RunState, scope: Scope, written: JsonObject): JsonObject | undefined {
  if (Object.keys(written).length === 0) return undefined;
  const around = workflowScope(state, scope);
  const fields = fileOf(state.plan, around.file).state;
  return mergeState(fields, around.state, written);
}

function durationOf(duration: number | string, names: TemplateScope): number {
  if (typeof duration === 'number') return duration;
  const value = evaluateDeep(duration, names);
  const ms =
    typeof value === 'string' || typeof value === 'number' ? parseDuration(value) : undefined;
  if (ms === undefined) throw invalid(`The value must be ${DURATION_FORM}, or a number of seconds`);
  return ms;
}

function invalid(message: string): ErrandError {
  return new ErrandError({ kind: 'validation.template', message });
}
