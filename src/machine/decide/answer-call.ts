/** Answers a tool call without executing anything: refuses it, replays its result, or asks the person. */
import type { ReportDraft } from '../../errors/report/report.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { ToolDecision } from '../conversation/agent-tools.ts';
import { approvalGate, type Conversation, type OpenCall } from '../conversation/conversation.ts';
import { readMore } from '../conversation/bounded-results.ts';
import { ASK_PERSON, READ_OUTPUT } from '../../workflow/plan/built-in-tools.ts';
import { askPerson } from '../gates/ask-person.ts';
import { REPLY } from '../gates/accept-value.ts';
import type { EventBody } from '../state/events.ts';
import { visitOf } from '../state/plan-lookup.ts';
import type { RunState, Scope } from '../state/state.ts';
import { failureAt } from './failure-reports.ts';

/** An earlier attempt has made this call: it is not repeated, and the model gets its result. */
export function replayFinishedCall(
  scope: Scope,
  { key, known }: OpenCall,
  target: string,
): EventBody {
  const { node, path } = visitOf(scope);
  const effect = { key, type: 'tool' as const, target };
  const { output = null, errors, error } = known ?? {};
  if (error !== undefined)
    return { type: 'effect:failed', node, path, effect, error, unusable: true, replayed: true };
  const beside = errors === undefined ? {} : { errors };
  return { type: 'effect:succeeded', node, path, effect, output, ...beside, replayed: true };
}

/** Asks the person for the model, and gives it the reply. */
export function consult(
  state: RunState,
  scope: Scope,
  { open, conversation }: { readonly open: OpenCall; readonly conversation: Conversation },
  question: string,
): readonly EventBody[] {
  const visit = visitOf(scope);
  if (open.known !== undefined) return [replayFinishedCall(scope, open, ASK_PERSON)];
  if (!state.hasPeople) {
    const message = 'There is no one to ask; decide without an answer';
    const failure: ReportDraft = { kind: 'gate.no_one_to_ask', message, outcome: 'not_started' };
    return refuseCall(state, scope, open, { type: 'refuse', tool: ASK_PERSON, failure });
  }
  if (open.replied === undefined)
    return [
      askPerson(state, visit, {
        gate: approvalGate(visit.path, ASK_PERSON, conversation, conversation.calls.indexOf(open)),
        prompt: question,
        options: [REPLY, 'decline'],
        promptFor: [{ value: REPLY, name: 'answer' }],
      }),
    ];
  return answerCall(scope, open, ASK_PERSON, { answer: open.replied });
}

/** Gives the model more of an earlier result that it read only in part. */
export function readOutput(
  state: RunState,
  scope: Scope,
  { open, conversation }: { readonly open: OpenCall; readonly conversation: Conversation },
  maxChars: number,
): readonly EventBody[] {
  const output = readMore(open.call, conversation.messages, maxChars);
  if (output === undefined) {
    const message = `${READ_OUTPUT} needs the call of an earlier result and an offset in it`;
    const failure: ReportDraft = { kind: 'tool.input_invalid', message, outcome: 'not_started' };
    return refuseCall(state, scope, open, { type: 'refuse', tool: READ_OUTPUT, failure });
  }
  return answerCall(scope, open, READ_OUTPUT, output);
}

/** The call of a built-in tool, with the result that the machine itself has for it. */
export function answerCall(
  scope: Scope,
  { key }: OpenCall,
  target: string,
  output: JsonValue,
): readonly EventBody[] {
  const { node, path } = visitOf(scope);
  const effect = { key, type: 'tool' as const, target };
  return [
    { type: 'effect:requested', node, path, effect, attempt: 0 },
    { type: 'effect:succeeded', node, path, effect, output },
  ];
}

/** Shows the refusal to the model once; the same call refused again fails the node. */
export function refuseCall(
  state: RunState,
  scope: Scope,
  open: OpenCall,
  { tool, failure }: Extract<ToolDecision, { type: 'refuse' }>,
): readonly EventBody[] {
  const visit = visitOf(scope);
  const error = failureAt(state, scope, visit.node, failure);
  const effect = { key: open.key, type: 'tool' as const, target: tool };
  const where = { node: visit.node, path: visit.path };
  return [{ type: 'effect:failed', ...where, effect, error }];
}
