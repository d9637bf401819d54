/**
 * The loop of an agent: call a model, run the tools it asks for, call it again, until it gives a final
 * reply. Each model call and each tool call is one durable effect, so an agent that crashes in its
 * seventh tool call resumes at its seventh tool call.
 */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { ErrorReport, ReportDraft } from '../../errors/report/report.ts';
import { SCHEMA_CORRECTIONS, TOOL_CORRECTIONS } from '../../workflow/plan/plan-limits.ts';
import type { AgentPlan } from '../../workflow/plan/node-plan.ts';
import {
  judgeCall,
  toolsOf,
  type DeniedBy,
  type ToolDecision,
} from '../conversation/agent-tools.ts';
import { raiseDraft, readReply } from '../conversation/model-reply.ts';
import { runtimeOf, schemaOf } from '../conversation/model-request.ts';
import { askPerson } from '../gates/ask-person.ts';
import { completeNode, type Decision } from './complete-node.ts';
import {
  afterFailure,
  askModel,
  beginConversation,
  partialOutput,
  awaitReply,
} from './model-call.ts';
import { OUTCOME_UNKNOWN, unresolvedOutcome } from '../policy/unknown-outcome.ts';
import { requestedEvent, toolRequest } from './effect-request.ts';
import type { EventBody } from '../state/events.ts';
import { nodeFailed, failureAt, thrownAt } from './failure-reports.ts';
import { grantOf } from '../policy/approval-grants.ts';
import { replayKeptResult } from '../state/kept-results.ts';
import { writeProblem } from '../state/merge-state.ts';
import { fileOf, visitOf } from '../state/plan-lookup.ts';
import type { Grant, RunState, Scope } from '../state/state.ts';
import {
  isToolMissing,
  approvalGate,
  hasInvalidCall,
  refusedAgain,
  type OpenCall,
  type Conversation,
  type ConversationFailure,
} from '../conversation/conversation.ts';
import { hasPassed, judgePlan } from '../conversation/output-judge.ts';
import { answerCall, consult, readOutput, refuseCall, replayFinishedCall } from './answer-call.ts';
import { afterRejection, beginJudging } from './judge-output.ts';
import { writtenState } from './written-state.ts';
import { READ_OUTPUT, WRITE_STATE } from '../../workflow/plan/built-in-tools.ts';

/** Throws `validation.template`. */
export function decideAgent(state: RunState, scope: Scope, agent: AgentPlan): Decision {
  const { conversation } = visitOf(scope);
  if (conversation === undefined) return beginConversation(state, scope, agent);
  const { judging } = conversation;
  const node = judging === undefined ? agent : judgePlan(agent, judging.output);
  if (conversation.failure !== undefined) {
    const isKept =
      conversation.failure.error.kind === 'provider.stream_interrupted' &&
      node.onPartial === 'keep_partial';
    return isKept
      ? { events: keepPartial(state, scope, conversation, conversation.failure) }
      : afterFailure(state, scope, conversation, conversation.failure);
  }
  if (conversation.reply === undefined) return awaitReply(state, scope, conversation);
  return conversation.reply.toolCalls.length > 0
    ? decideToolCalls(state, scope, node, conversation)
    : decideFinalReply(state, scope, node, conversation);
}

function keepPartial(
  state: RunState,
  scope: Scope,
  conversation: Conversation,
  failure: ConversationFailure,
): readonly EventBody[] {
  const { error } = failure;
  const suppressed = {
    type: 'error:suppressed',
    error,
    reason: 'the node keeps the partial output',
  } as const;
  try {
    const beside = writtenState(state, scope, conversation.writes);
    return [suppressed, ...completeNode(state, scope, partialOutput(failure), beside)];
  } catch (thrown) {
    // keep the broken stream in the log, whatever the node fails with now
    const visit = visitOf(scope);
    return [suppressed, nodeFailed(visit, thrownAt(state, scope, visit.node, thrown))];
  }
}

/** Runs every tool call of the reply, then calls the model again. */
function decideToolCalls(
  state: RunState,
  scope: Scope,
  node: AgentPlan,
  conversation: Conversation,
): Decision {
  const visit = visitOf(scope);
  const inDoubt = conversation.calls.find(({ result }) => result?.error?.kind === OUTCOME_UNKNOWN);
  // a node fails only when all its effects have ended, so that no result arrives after its attempt
  const isBusy = visit.pending.size > 0;
  const fatal =
    inDoubt?.result?.error ??
    conversation.calls.find(isToolMissing)?.result?.error ??
    refusedAgain(conversation);
  if (fatal !== undefined) return { events: isBusy ? [] : [nodeFailed(visit, fatal)] };
  const open = decideOpenCalls(state, scope, { node, conversation });
  if (open !== undefined) return open;
  if (hasInvalidCall(conversation) && conversation.corrections.tools >= TOOL_CORRECTIONS)
    return {
      events: [
        nodeFailed(
          visit,
          outputInvalid(state, scope, 'its tool calls are still invalid after corrections'),
        ),
      ],
    };
  if (conversation.turns >= node.maxTurns)
    return { events: [nodeFailed(visit, outOfTurns(state, scope, node))] };
  return askModel(state, scope, conversation);
}

/** Undefined when every call has its result. */
function decideOpenCalls(
  state: RunState,
  scope: Scope,
  active: ActiveConversation,
): Decision | undefined {
  const { pending } = visitOf(scope);
  const { calls } = active.conversation;
  const wakes: number[] = [];
  for (const open of calls) {
    const untilMs = waitsUntilMs(state, open);
    if (untilMs !== undefined && state.nowMs < untilMs) {
      wakes.push(untilMs);
      continue;
    }
    if (open.gate !== undefined) {
      if (untilMs !== undefined) return { events: [gateExpired(scope, open.gate)] };
      continue;
    }
    if (open.result !== undefined || open.isBegun) continue;
    const events = decideToolCall(state, scope, active, open);
    // the failure waits until the other calls have ended
    if (pending.size > 0 && events.at(-1)?.type === 'node:failed') break;
    if (events.length > 0) return { events };
  }
  if (wakes.length > 0) return { events: [], wakeAtMs: Math.min(...wakes) };
  return calls.some(({ result }) => result === undefined) ? { events: [] } : undefined;
}

/** The time until which a call waits: for a person, or for its next attempt. */
function waitsUntilMs(state: RunState, open: OpenCall): number | undefined {
  if (open.gate !== undefined) return state.gates.get(open.gate)?.deadlineMs;
  return open.result === undefined && !open.isBegun ? open.again?.atMs : undefined;
}

function gateExpired(scope: Scope, gate: string): EventBody {
  const { node, path } = visitOf(scope);
  return { type: 'gate:expired', node, path, gate };
}

/** An agent in the middle of its loop. */
interface ActiveConversation {
  readonly node: AgentPlan;
  readonly conversation: Conversation;
}

function decideToolCall(
  state: RunState,
  scope: Scope,
  active: ActiveConversation,
  open: OpenCall,
): readonly EventBody[] {
  const visit = visitOf(scope);
  const { node } = active;
  const bound = runtimeOf(state, scope)?.toolOutput;
  if (bound !== undefined && open.call.name === READ_OUTPUT)
    return readOutput(state, scope, { open, ...active }, bound.maxChars);
  const decision = judgeCall(node, toolsOf(state, scope), open.call);
  switch (decision.type) {
    case 'raise': {
      const error = failureAt(state, scope, visit.node, raiseDraft(decision.value));
      return [nodeFailed(visit, error)];
    }
    case 'write':
      return writeState(state, scope, node, { open, ...decision });
    case 'refuse':
      return refuseCall(state, scope, open, decision);
    case 'consult':
      return consult(state, scope, { open, ...active }, decision.question);
    case 'run':
      if (mayReplay(state, scope, open, decision.tool))
        return [replayFinishedCall(scope, open, decision.tool)];
      return open.guardAsks === undefined
        ? [requestTool(state, scope, open, decision)]
        : decideApproval(state, scope, open, { ...decision, ...active });
    case 'ask': {
      // nothing is executed, so there is nothing to approve
      if (mayReplay(state, scope, open, decision.tool))
        return [replayFinishedCall(scope, open, decision.tool)];
      const isOpen = open.decided === undefined && open.guardAsks === undefined;
      const grant = isOpen ? grantOf(state, scope, decision.tool) : undefined;
      return grant === undefined
        ? decideApproval(state, scope, open, { ...decision, ...active })
        : [requestTool(state, scope, open, { ...decision, grant })];
    }
  }
}

function mayReplay(state: RunState, scope: Scope, { known }: OpenCall, tool: string): boolean {
  return known !== undefined && toolsOf(state, scope)[tool]?.isIdempotent !== true;
}

type ApprovalRequest = Extract<ToolDecision, { type: 'run' | 'ask' }> & ActiveConversation;

/** Asks a person about exactly this call, or follows their answer. */
function decideApproval(
  state: RunState,
  scope: Scope,
  open: OpenCall,
  wanted: ApprovalRequest,
): readonly EventBody[] {
  const { tool } = wanted;
  if (open.decided === 'approve') return [requestTool(state, scope, open, { tool })];
  if (open.decided === 'deny' || !state.hasPeople) return denyCall(state, scope, open, tool);
  return [askApproval(state, scope, open, wanted)];
}

function writeState(
  state: RunState,
  scope: Scope,
  node: AgentPlan,
  { open, key, value }: Extract<ToolDecision, { type: 'write' }> & { readonly open: OpenCall },
): readonly EventBody[] {
  const visit = visitOf(scope);
  if (!node.writes.includes(key)) {
    const error = failureAt(state, scope, visit.node, {
      kind: 'agent.permission_denied',
      message: `${visit.node} may not write the state ${key}; its \`writes\` does not list it`,
      details: { key, allowed: [...node.writes] },
    });
    return [nodeFailed(visit, error)];
  }
  const field = fileOf(state.plan, scope.file).state[key];
  const problem = field === undefined ? undefined : writeProblem(field, value);
  if (problem !== undefined) {
    const message = `The state ${key} ${problem}`;
    const failure: ReportDraft = { kind: 'tool.input_invalid', message, outcome: 'not_started' };
    return refuseCall(state, scope, open, { type: 'refuse', tool: WRITE_STATE, failure });
  }
  return answerCall(scope, open, WRITE_STATE, { written: key });
}

function denyCall(
  state: RunState,
  scope: Scope,
  open: OpenCall,
  tool: string,
): readonly EventBody[] {
  const by: DeniedBy = open.decided === undefined ? 'nobody' : 'person';
  const failure: ReportDraft = {
    kind: 'tool.denied',
    message: `${tool} needs the approval of a person, and did not get it`,
    outcome: 'not_started',
    details: { by },
  };
  return refuseCall(state, scope, open, { type: 'refuse', tool, failure });
}

function requestTool(
  state: RunState,
  scope: Scope,
  open: OpenCall,
  { tool, grant }: { readonly tool: string; readonly grant?: Grant },
): EventBody {
  const visit = visitOf(scope);
  const request = toolRequest(state, scope, open, tool);
  const unknownOutcome = unresolvedOutcome(state, scope, request);
  if (unknownOutcome !== undefined) return nodeFailed(visit, unknownOutcome);
  const before = request.isIdempotent ? undefined : replayKeptResult(state, visit, request.ref);
  if (before !== undefined) return before;
  const event = requestedEvent(state, visit, request.ref);
  return grant === undefined ? event : { ...event, grant };
}

function askApproval(
  state: RunState,
  scope: Scope,
  open: OpenCall,
  { tool, arguments: args, node, conversation }: ApprovalRequest,
): EventBody {
  const visit = visitOf(scope);
  const why = open.guardAsks === undefined ? '' : `${open.guardAsks}. `;
  return askPerson(state, visit, {
    gate: approvalGate(visit.path, tool, conversation, conversation.calls.indexOf(open)),
    prompt: `${why}May ${visit.node} call ${tool} with ${JSON.stringify(args)}?`,
    options: ['approve', 'deny'],
    timeoutMs: node.policy.askTimeoutMs,
  });
}

/** A reply without tool calls ends the node, or is sent back because it is not valid. */
function decideFinalReply(
  state: RunState,
  scope: Scope,
  node: AgentPlan,
  conversation: Conversation,
): Decision {
  const visit = visitOf(scope);
  const reading = readReply(conversation.reply?.text ?? '', schemaOf(state, node));
  switch (reading.type) {
    case 'raised':
      return { events: [nodeFailed(visit, failureAt(state, scope, visit.node, reading.failure))] };
    case 'output':
      return decideOutput(state, scope, { node, conversation }, reading.output);
    case 'wrong':
      if (conversation.corrections.schema >= SCHEMA_CORRECTIONS)
        return { events: [nodeFailed(visit, outputInvalid(state, scope, reading.problem))] };
      if (conversation.turns >= node.maxTurns)
        return { events: [nodeFailed(visit, outOfTurns(state, scope, node))] };
      return askModel(state, scope, conversation);
  }
}

/** Completes the node, unless a second model has to judge the output or has refused it. */
function decideOutput(
  state: RunState,
  scope: Scope,
  { node, conversation }: ActiveConversation,
  output: JsonValue,
): Decision {
  const { judging } = conversation;
  if (judging === undefined && node.validator !== undefined)
    return beginJudging(state, scope, node);
  if (judging !== undefined && !hasPassed(output))
    return afterRejection(state, scope, node, { verdict: output, judge: conversation });
  const agent = judging?.of ?? conversation;
  const accepted = judging === undefined ? output : judging.output;
  return {
    events: completeNode(state, scope, accepted, writtenState(state, scope, agent.writes)),
  };
}

function outputInvalid(state: RunState, scope: Scope, problem: string): ErrorReport {
  const { node, conversation } = visitOf(scope);
  const who = conversation?.judging === undefined ? node : `the judge of ${node}`;
  return failureAt(state, scope, node, {
    kind: 'agent.output_invalid',
    message: `The reply of ${who} does not have the required form: ${problem}`,
  });
}

function outOfTurns(state: RunState, scope: Scope, { name, maxTurns }: AgentPlan): ErrorReport {
  return failureAt(state, scope, name, {
    kind: 'limit.turns',
    message: `${name} has used all of its ${maxTurns} turns`,
    details: { limit: maxTurns, spent: maxTurns },
  });
}
