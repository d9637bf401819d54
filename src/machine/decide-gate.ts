/**
 * Where people are asked: the gate of a node of its own, what becomes of a failure that was asked
 * about, and what it means that nobody answered.
 */
import type { JsonValue } from '../errors/json.ts';
import type { ErrorReport } from '../errors/report.ts';
import type { HumanGatePlan, NodePlan } from '../workflow/node-model.ts';
import { toolsOf } from './agent-tools.ts';
import { askPerson } from './ask-person.ts';
import { completion, type Decision } from './completion.ts';
import { beginTry } from './decide-begin.ts';
import { decideFailure } from './decide-route.ts';
import { callInDoubt } from './doubt.ts';
import { evaluateText } from './evaluate.ts';
import type { EventBody } from './events.ts';
import { failed, failureAt } from './failure.ts';
import { afterApproval } from './guard-asks.ts';
import { namesIn } from './names.ts';
import { fileOf, nodeOf, visitOf } from './plan-lookup.ts';
import type { RunState, Scope } from './state.ts';
import type { OpenCall } from './talk.ts';
import { toolCalled } from './tool-names.ts';

/** Throws `validation.template`. */
export function openGate(state: RunState, scope: Scope, node: HumanGatePlan): EventBody {
  const visit = visitOf(scope);
  if (!state.hasPeople) return failed(visit, nobodyToAsk(state, scope, node));
  return askPerson(state, visit, {
    prompt: evaluateText(node.prompt, namesIn(state, scope, { node })),
    options: node.options.map(({ value }) => value),
    promptFor: node.options.flatMap(({ value, promptFor }) =>
      promptFor === undefined ? [] : [{ value, name: promptFor }],
    ),
    timeoutMs: node.expiresMs,
  });
}

/** Until the answer, or until the time for it is over. */
export function decideAsking(state: RunState, scope: Scope, gate: string): Decision {
  const deadlineMs = state.gates.get(gate)?.deadlineMs;
  if (deadlineMs === undefined) return { events: [] };
  const { node, path } = visitOf(scope);
  return state.nowMs < deadlineMs
    ? { events: [], wakeAtMs: deadlineMs }
    : { events: [{ type: 'gate:expired', node, path, gate }] };
}

export function afterAnswer(state: RunState, scope: Scope, value: JsonValue): readonly EventBody[] {
  const visit = visitOf(scope);
  const where = { node: visit.node, path: visit.path };
  const { type } = nodeOf(fileOf(state.plan, scope.file), visit.node);
  if (visit.error === undefined && type === 'tool') return [afterApproval(state, scope, value)];
  if (visit.error === undefined) return completion(state, scope, gateOutput(value));
  if (value === 'retry' || value === 'repeat')
    return beginTry(state, scope, visit.node, visit.attempt + 1);
  if (value === 'skip')
    return [
      { type: 'node:skipped', ...where, reason: 'a person chose to go on without it' },
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
  const edited =
    typeof value === 'object' && value !== null && 'edit' in value ? value.edit : value;
  const open = callInDoubt(visit);
  if (open !== undefined) return givenResult(state, scope, open, edited ?? null);
  return [{ type: 'node:completed', ...where, output: edited ?? null }];
}

/** A person knows what the call in doubt gave: the conversation goes on with that. */
function givenResult(
  state: RunState,
  scope: Scope,
  { key, call }: OpenCall,
  output: JsonValue,
): readonly EventBody[] {
  const { node, path, attempt } = visitOf(scope);
  const target = toolCalled(toolsOf(state, scope), call.name) ?? call.name;
  const effect = { key, type: 'tool' as const, target };
  return [
    { type: 'effect:succeeded', node, path, effect, output, given: true },
    ...beginTry(state, scope, node, attempt + 1),
  ];
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
  if (!state.hasPeople) return [failed(visit, nobodyToAsk(state, scope, node))];
  if (node.type === 'human_gate' && node.default !== undefined)
    return completion(state, scope, gateOutput(node.default));
  const error = failureAt(state, scope, visit.node, {
    kind: 'gate.expired',
    message: `Nobody answered ${visit.node} in time`,
  });
  return [failed(visit, error)];
}

function nobodyToAsk(state: RunState, scope: Scope, { name }: NodePlan): ErrorReport {
  return failureAt(state, scope, name, {
    kind: 'gate.no_one_to_ask',
    message: `${name} asks a person, and this run has nobody to ask`,
  });
}
