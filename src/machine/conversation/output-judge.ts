/**
 * A second model judges an agent's output by criteria, in a conversation of its own around the
 * agent's. Its findings go back to the agent.
 */
import { isPlainObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { AgentPlan } from '../../workflow/plan/node-plan.ts';
import type { EffectRef } from '../state/events.ts';
import type { Visit } from '../state/state.ts';
import type { Conversation } from './conversation.ts';
import { readReply } from './model-reply.ts';

export interface JudgePlan extends AgentPlan {
  /** The output that is judged. */
  readonly judged: JsonValue;
}

/** The example lets simulated models accept the output. */
const VERDICT: JsonObject = {
  type: 'object',
  properties: { passed: { type: 'boolean', examples: [true] }, feedback: { type: 'string' } },
  required: ['passed'],
};

const SYSTEM =
  'You judge the output of another model by the criteria. Reply with JSON: passed, and feedback that says what to change if it did not pass.';

export function judgePlan(node: AgentPlan, judged: JsonValue): JudgePlan {
  const { raises: _raises, dialog: _dialog, images: _images, ...rest } = node;
  const { validator } = node;
  return {
    ...rest,
    ...(validator?.model === undefined ? {} : { model: validator.model }),
    systemPrompt: SYSTEM,
    outputSchema: VERDICT,
    tools: [],
    writes: [],
    onPartial: 'restart',
    judged,
  };
}

/** Marks a request of the conversation for the judge. */
export function judgeMark(conversation: Conversation | undefined): { readonly judges?: true } {
  return conversation?.judging === undefined ? {} : { judges: true };
}

/** Marks the repetition of a call to the judge, so that it goes to the judge again. */
export function judgesIn(
  { conversation }: Pick<Visit, 'conversation'>,
  { type }: Pick<EffectRef, 'type'>,
): { readonly judges?: true } {
  return type === 'model' ? judgeMark(conversation) : {};
}

export function judgeText(criteria: string, judged: JsonValue): string {
  return `Criteria:\n${criteria.trim()}\n\nOutput:\n${JSON.stringify(judged, null, 2)}`;
}

/** The text that the agent reads after a refusal. */
export function feedbackText(verdict: JsonValue | undefined): string {
  const feedback = isPlainObject(verdict) ? verdict['feedback'] : undefined;
  const words = typeof feedback === 'string' ? feedback.trim() : '';
  return words === '' ? 'The output does not meet the criteria.' : words;
}

/** The verdict in the judge's last reply; undefined when there is none, or it cannot be read. */
export function readVerdict({ reply }: Conversation): JsonValue | undefined {
  if (reply === undefined) return undefined;
  const read = readReply(reply.text, VERDICT);
  return read.type === 'output' ? read.output : undefined;
}

/** The agent's conversation with the words of the judge as its next message. */
export function rejectedConversation(judge: Conversation): Conversation | undefined {
  const { judging } = judge;
  if (judging === undefined) return undefined;
  const text = feedbackText(readVerdict(judge));
  return {
    ...judging.of,
    messages: [...judging.of.messages, { role: 'user', text }],
    reply: undefined,
    calls: [],
    rejections: (judging.of.rejections ?? 0) + 1,
    isRejected: true,
  };
}

export function hasPassed(verdict: JsonValue): boolean {
  return isPlainObject(verdict) && verdict['passed'] === true;
}
