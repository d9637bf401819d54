/**
 * A try that goes on with the conversation of the one before it, after a resume, a park or an answer
 * of a person: everything that was said and done stays, the models are asked with fresh schedules, and
 * what ended the conversation is seen to once more.
 */
import type { ErrorReport } from '../errors/report.ts';
import { judgeCall, toolsOf } from './agent-tools.ts';
import { raiseDraft, readAnswer } from './answer.ts';
import { newChain } from './chain.ts';
import { DONE, isTalking, modelsOf, schemaOf, type TalkingPlan } from './model-request.ts';
import { fileOf, nodeOf, visitOf } from './plan-lookup.ts';
import { nextOf } from './rounds.ts';
import type { RunState, Scope } from './state.ts';
import { REFUSALS, sameCall, toldToModel, type OpenCall, type Talk } from './talk.ts';

export function continueTalk(state: RunState, scope: Scope): void {
  const visit = visitOf(scope);
  const { talk } = visit;
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  if (talk === undefined || !isTalking(node)) return;
  const chain = newChain(modelsOf(state, scope, node));
  if (chain.length > 0) talk.chain.splice(0, Infinity, ...chain);
  Object.assign(talk.corrections, { schema: 0, tools: 0 } satisfies Talk['corrections']);
  talk.failure = undefined;
  talk.tries = [];
  talk.isReworded = true;
  for (const open of talk.calls) takeUp(talk, open, visit.pending.has(open.key));
  if (node.type === 'agent') tellWhatEndedIt(talk, node, toolsOf(state, scope));
  if (isConcluded(talk, node)) takeBackAnswer(talk);
  talk.failedWith = undefined;
}

/** What was stopped is asked for again; what was refused too often is judged by the file as it is now. */
function takeUp({ refused }: Talk, open: OpenCall, isPending: boolean): void {
  if (open.result === undefined) {
    if (!isPending) open.isBegun = false;
    return;
  }
  const name = sameCall(open.call);
  const isFatal = REFUSALS.has(open.result.error?.kind ?? '') && (refused.get(name) ?? 0) > 1;
  if (!isFatal) return;
  refused.delete(name);
  open.result = undefined;
  open.isBegun = false;
  open.decided = undefined;
}

/** A call that ended the node by itself, and would again: the model hears that instead. */
function tellWhatEndedIt(
  talk: Talk,
  node: Parameters<typeof judgeCall>[0],
  tools: Parameters<typeof judgeCall>[1],
): void {
  const { failedWith: error } = talk;
  if (error === undefined) return;
  const open = talk.calls.find(({ call, result, isBegun }) => {
    if (result !== undefined || isBegun) return false;
    const verdict = judgeCall(node, tools, call);
    if (verdict.type === 'raise') return raiseDraft(verdict.value).kind === error.kind;
    const isWrite = verdict.type === 'write' && !node.writes.includes(verdict.key);
    return isWrite && error.kind === 'agent.permission_denied';
  });
  if (open !== undefined) open.result = toldOf(error);
}

function toldOf(error: ErrorReport): OpenCall['result'] {
  return { value: toldToModel(error), error };
}

/** An answer was taken for the end, and what it led to has failed. */
function isConcluded({ answer }: Talk, node: TalkingPlan): boolean {
  if (answer === undefined) return false;
  if (node.type === 'agent' && answer.toolCalls.length > 0) return false;
  const reading = readAnswer(answer.text, schemaOf(node));
  if (reading.type === 'wrong') return false;
  return node.type === 'agent' || reading.type === 'raised' || nextOf(reading.output) === DONE;
}

/** The model is asked for it once more. */
function takeBackAnswer(talk: Talk): void {
  talk.answer = undefined;
  talk.calls = [];
  talk.turns--;
  talk.messages.pop();
}
