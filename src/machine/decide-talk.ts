/**
 * The loop of an agent: ask a model, see to what it asks for, ask again, until there is an answer.
 * Each call of a model and each call of a tool is one durable effect, so that an agent that dies at
 * its seventh tool call goes on at its seventh tool call.
 */
import type { JsonObject, JsonValue } from '../errors/json.ts';
import type { ErrorReport, ReportDraft } from '../errors/report.ts';
import { SCHEMA_CORRECTIONS, TOOL_CORRECTIONS } from '../workflow/limits.ts';
import type { AgentPlan } from '../workflow/node-model.ts';
import { judgeCall, toolsOf, type DeniedBy, type Verdict } from './agent-tools.ts';
import { raiseDraft, readAnswer } from './answer.ts';
import { askPerson } from './ask-person.ts';
import { completion, type Decision } from './completion.ts';
import { afterFailure, askModel, beginTalk, partialOutput, unanswered } from './decide-model.ts';
import { DOUBT, stillInDoubt } from './doubt.ts';
import { requestedEvent, toolRequest } from './effect-request.ts';
import type { EventBody } from './events.ts';
import { failed, failureAt, thrownAt } from './failure.ts';
import { grantOf } from './grants.ts';
import { replayed } from './kept.ts';
import { mergeState, writeProblem } from './merge-state.ts';
import { fileOf, visitOf, workflowScope } from './plan-lookup.ts';
import type { Grant, RunState, Scope } from './state.ts';
import {
  approvalGate,
  hasBadCall,
  refusedAgain,
  type OpenCall,
  type Talk,
  type TalkFailure,
} from './talk.ts';
import { WRITE_STATE } from './tool-names.ts';

/** Throws `validation.template`. */
export function decideAgent(state: RunState, scope: Scope, node: AgentPlan): Decision {
  const visit = visitOf(scope);
  const { talk } = visit;
  if (talk === undefined) return beginTalk(state, scope, node);
  if (talk.failure !== undefined) {
    const isKept =
      talk.failure.error.kind === 'provider.stream_interrupted' &&
      node.onPartial === 'keep_partial';
    return isKept
      ? { events: keepPartial(state, scope, talk, talk.failure) }
      : afterFailure(state, scope, talk, talk.failure);
  }
  if (talk.answer === undefined) return unanswered(state, scope, talk);
  return talk.answer.toolCalls.length > 0
    ? seeToCalls(state, scope, node, talk)
    : conclude(state, scope, node, talk);
}

function keepPartial(
  state: RunState,
  scope: Scope,
  talk: Talk,
  failure: TalkFailure,
): readonly EventBody[] {
  const { error } = failure;
  const said = {
    type: 'error:suppressed',
    error,
    reason: 'the node keeps what had arrived',
  } as const;
  try {
    const beside = { state: written(state, scope, talk) };
    return [said, ...completion(state, scope, partialOutput(failure), beside)];
  } catch (thrown) {
    // whatever it fails with now, the stream that broke is not forgotten
    const visit = visitOf(scope);
    return [said, failed(visit, thrownAt(state, scope, visit.node, thrown))];
  }
}

/** Everything that the answer asks for, then the model again. */
function seeToCalls(state: RunState, scope: Scope, node: AgentPlan, talk: Talk): Decision {
  const visit = visitOf(scope);
  const inDoubt = talk.calls.find(({ result }) => result?.error?.kind === DOUBT);
  // a node fails only when all that it began is heard of: nothing comes in from a try that is over
  const isBusy = visit.pending.size > 0;
  const fatal = inDoubt?.result?.error ?? refusedAgain(talk);
  if (fatal !== undefined) return { events: isBusy ? [] : [failed(visit, fatal)] };
  const wakes: number[] = [];
  for (const open of talk.calls) {
    if (open.gate !== undefined) {
      const deadlineMs = state.gates.get(open.gate)?.deadlineMs;
      if (deadlineMs !== undefined && state.nowMs >= deadlineMs) {
        const { node: name, path } = visit;
        return { events: [{ type: 'gate:expired', node: name, path, gate: open.gate }] };
      }
      if (deadlineMs !== undefined) wakes.push(deadlineMs);
      continue;
    }
    if (open.result !== undefined || open.isBegun) continue;
    if (open.again !== undefined && state.nowMs < open.again.atMs) {
      wakes.push(open.again.atMs);
      continue;
    }
    const events = seeToCall(state, scope, { node, talk }, open);
    if (isBusy && events.at(-1)?.type === 'node:failed') break;
    if (events.length > 0) return { events };
  }
  if (wakes.length > 0) return { events: [], wakeAtMs: Math.min(...wakes) };
  if (talk.calls.some(({ result }) => result === undefined)) return { events: [] };
  if (hasBadCall(talk) && talk.corrections.tools >= TOOL_CORRECTIONS)
    return { events: [failed(visit, outputInvalid(state, scope, 'its tool calls stay wrong'))] };
  if (talk.turns >= node.maxTurns)
    return { events: [failed(visit, outOfTurns(state, scope, node))] };
  return askModel(state, scope, talk);
}

/** An agent in the middle of its loop. */
interface Talking {
  readonly node: AgentPlan;
  readonly talk: Talk;
}

function seeToCall(
  state: RunState,
  scope: Scope,
  talking: Talking,
  open: OpenCall,
): readonly EventBody[] {
  const visit = visitOf(scope);
  const { node } = talking;
  const verdict = judgeCall(node, toolsOf(state, scope), open.call);
  switch (verdict.type) {
    case 'raise': {
      const error = failureAt(state, scope, visit.node, raiseDraft(verdict.value));
      return [failed(visit, error)];
    }
    case 'write':
      return write(state, scope, node, { open, ...verdict });
    case 'refuse':
      return refuse(state, scope, open, verdict);
    case 'run':
      if (mayReplay(state, scope, open, verdict.tool)) return [replay(scope, open, verdict.tool)];
      return open.guardAsks === undefined
        ? [requested(state, scope, open, verdict)]
        : asked(state, scope, open, { ...verdict, ...talking });
    case 'ask': {
      // nothing is done, so there is nothing to approve
      if (mayReplay(state, scope, open, verdict.tool)) return [replay(scope, open, verdict.tool)];
      const isOpen = open.decided === undefined && open.guardAsks === undefined;
      const grant = isOpen ? grantOf(state, scope, verdict.tool) : undefined;
      return grant === undefined
        ? asked(state, scope, open, { ...verdict, ...talking })
        : [requested(state, scope, open, { ...verdict, grant })];
    }
  }
}

function mayReplay(state: RunState, scope: Scope, { known }: OpenCall, tool: string): boolean {
  return known !== undefined && toolsOf(state, scope)[tool]?.isIdempotent !== true;
}

/** An earlier try has got it done: it is not done again, and the model hears what it gave. */
function replay(scope: Scope, { key, known }: OpenCall, target: string): EventBody {
  const { node, path } = visitOf(scope);
  const effect = { key, type: 'tool' as const, target };
  const { output = null, errors } = known ?? {};
  const beside = errors === undefined ? {} : { errors };
  return { type: 'effect:succeeded', node, path, effect, output, ...beside, replayed: true };
}

type Asked = Extract<Verdict, { type: 'run' | 'ask' }> & Talking;

/** A person decides about exactly this call. */
function asked(state: RunState, scope: Scope, open: OpenCall, wanted: Asked): readonly EventBody[] {
  const { tool } = wanted;
  if (open.decided === 'approve') return [requested(state, scope, open, { tool })];
  if (open.decided === 'deny' || !state.hasPeople) return deny(state, scope, open, tool);
  return [approvalAsked(state, scope, open, wanted)];
}

function write(
  state: RunState,
  scope: Scope,
  node: AgentPlan,
  { open, key, value }: Extract<Verdict, { type: 'write' }> & { readonly open: OpenCall },
): readonly EventBody[] {
  const visit = visitOf(scope);
  if (!node.writes.includes(key)) {
    const error = failureAt(state, scope, visit.node, {
      kind: 'agent.permission_denied',
      message: `${visit.node} may not write the state ${key}`,
      details: { key, allowed: [...node.writes] },
    });
    return [failed(visit, error)];
  }
  const field = fileOf(state.plan, scope.file).state[key];
  const problem = field === undefined ? undefined : writeProblem(field, value);
  if (problem !== undefined) {
    const message = `The state ${key} ${problem}`;
    const failure: ReportDraft = { kind: 'tool.input_invalid', message, outcome: 'not_started' };
    return refuse(state, scope, open, { type: 'refuse', tool: WRITE_STATE, failure });
  }
  const effect = { key: open.key, type: 'tool' as const, target: WRITE_STATE };
  const where = { node: visit.node, path: visit.path };
  return [
    { type: 'effect:requested', ...where, effect, attempt: 0 },
    { type: 'effect:succeeded', ...where, effect, output: { written: key } },
  ];
}

function deny(state: RunState, scope: Scope, open: OpenCall, tool: string): readonly EventBody[] {
  const by: DeniedBy = open.decided === undefined ? 'nobody' : 'person';
  const failure: ReportDraft = {
    kind: 'tool.denied',
    message: `A person has to approve ${tool}, and did not`,
    outcome: 'not_started',
    details: { by },
  };
  return refuse(state, scope, open, { type: 'refuse', tool, failure });
}

/** The model hears of it once; the same call refused again fails the node. */
function refuse(
  state: RunState,
  scope: Scope,
  open: OpenCall,
  { tool, failure }: Extract<Verdict, { type: 'refuse' }>,
): readonly EventBody[] {
  const visit = visitOf(scope);
  const error = failureAt(state, scope, visit.node, failure);
  const effect = { key: open.key, type: 'tool' as const, target: tool };
  const where = { node: visit.node, path: visit.path };
  return [{ type: 'effect:failed', ...where, effect, error }];
}

function requested(
  state: RunState,
  scope: Scope,
  open: OpenCall,
  { tool, grant }: { readonly tool: string; readonly grant?: Grant },
): EventBody {
  const visit = visitOf(scope);
  const request = toolRequest(state, scope, open, tool);
  const doubt = stillInDoubt(state, scope, request);
  if (doubt !== undefined) return failed(visit, doubt);
  const before = request.isIdempotent ? undefined : replayed(state, visit, request.ref);
  if (before !== undefined) return before;
  const event = requestedEvent(visit, request.ref);
  return grant === undefined ? event : { ...event, grant };
}

function approvalAsked(
  state: RunState,
  scope: Scope,
  open: OpenCall,
  { tool, arguments: given, node, talk }: Asked,
): EventBody {
  const visit = visitOf(scope);
  const why = open.guardAsks === undefined ? '' : `${open.guardAsks}. `;
  return askPerson(state, visit, {
    gate: approvalGate(visit.path, tool, talk, talk.calls.indexOf(open)),
    prompt: `${why}May ${visit.node} call ${tool} with ${JSON.stringify(given)}?`,
    options: ['approve', 'deny'],
    timeoutMs: node.policy.askTimeoutMs,
  });
}

/** An answer without calls: the end, or once more. */
function conclude(state: RunState, scope: Scope, node: AgentPlan, talk: Talk): Decision {
  const visit = visitOf(scope);
  const reading = readAnswer(talk.answer?.text ?? '', node.outputSchema);
  switch (reading.type) {
    case 'raised':
      return { events: [failed(visit, failureAt(state, scope, visit.node, reading.failure))] };
    case 'output':
      return {
        events: completion(state, scope, reading.output, { state: written(state, scope, talk) }),
      };
    case 'wrong':
      if (talk.corrections.schema >= SCHEMA_CORRECTIONS)
        return { events: [failed(visit, outputInvalid(state, scope, reading.problem))] };
      if (talk.turns >= node.maxTurns)
        return { events: [failed(visit, outOfTurns(state, scope, node))] };
      return askModel(state, scope, talk);
  }
}

function written(state: RunState, scope: Scope, { writes }: Talk): JsonObject | undefined {
  if (writes.length === 0) return undefined;
  const around = workflowScope(state, scope);
  const fields = fileOf(state.plan, around.file).state;
  const merged = new Map(around.state);
  const changed: Record<string, JsonValue> = {};
  for (const [key, value] of writes) {
    Object.assign(changed, mergeState(fields, merged, { [key]: value }));
    merged.set(key, changed[key] ?? null);
  }
  return changed;
}

function outputInvalid(state: RunState, scope: Scope, problem: string): ErrorReport {
  const { node } = visitOf(scope);
  return failureAt(state, scope, node, {
    kind: 'agent.output_invalid',
    message: `The answer of ${node} is not of the form that was asked for: ${problem}`,
  });
}

function outOfTurns(state: RunState, scope: Scope, { name, maxTurns }: AgentPlan): ErrorReport {
  return failureAt(state, scope, name, {
    kind: 'limit.turns',
    message: `${name} has used its ${maxTurns} turns`,
    details: { limit: maxTurns, spent: maxTurns },
  });
}
