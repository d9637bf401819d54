/** Answers that a gate takes: the rules of the contract, written independently of the engine. */
import { isArray, isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { Wait } from '../../machine/state/events.ts';
import { checkValue } from '../../workflow/json-schema/check-value.ts';
import { ASK_PERSON } from '../../workflow/plan/built-in-tools.ts';
import type { QuestionPlan, QuestionsPlan } from '../../workflow/plan/node-plan.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { nodeAt } from './subject.ts';

export interface Given {
  readonly gate: string;
  readonly path: string;
  readonly value: JsonValue;
  readonly inDoubt?: Wait['inDoubt'];
  /** Path of the node whose effect is in doubt: an answer at an enclosing node counts there. */
  readonly arose?: string | undefined;
  /** Whether the gate asks about a failure; only there does `edit` have a special meaning. */
  readonly isAboutFailure: boolean;
}

export function isAnswer(
  plan: WorkflowPlan,
  { gate, path, value, inDoubt, arose = path, isAboutFailure }: Given,
  options: readonly JsonValue[],
): boolean {
  const node = nodeAt(plan, path)?.node;
  if (isQuestionOfModel(gate)) return isReply(value);
  if (node?.type === 'human_gate' && !isAboutFailure)
    return node.questions === undefined
      ? isChoice(value, options)
      : answersQuestions(value, node.questions, options);
  if (!isPlainObject(value)) return value !== 'edit' && options.includes(value);
  const { edit, approve, raise } = value;
  if (isPlainObject(raise)) return gate.endsWith('#budget');
  if (isPlainObject(approve))
    return gate.includes('#') && (approve['for'] === 'node' || approve['for'] === 'run');
  if (edit === undefined || !options.includes('edit')) return false;
  // for a call with an unknown outcome it is the result of that call
  const edited = nodeAt(plan, arose)?.node;
  const isOfCall = edited?.type === 'agent' && inDoubt?.type === 'tool';
  const own = edited !== undefined && 'outputSchema' in edited ? edited.outputSchema : undefined;
  const schema = isOfCall ? plan.tools?.['']?.[inDoubt.target]?.outputSchema : own;
  return schema === undefined || checkValue(schema, edit).length === 0;
}

/** An option of the file, whatever word it is, alone or as `selected`. */
function isChoice(value: JsonValue, options: readonly JsonValue[]): boolean {
  return options.includes(isPlainObject(value) ? (value['selected'] ?? null) : value);
}

/** Whether the stored answer is the given one; a text is stored as the field that it was typed for. */
export function isSameAnswer(plan: WorkflowPlan, given: Given, stored: JsonValue): boolean {
  const node = nodeAt(plan, given.path)?.node;
  const isRead = node?.type === 'human_gate' && node.questions !== undefined;
  if (isRead && !given.isAboutFailure) return true;
  if (isQuestionOfModel(given.gate)) return wordsIn(stored) === wordsIn(given.value);
  return JSON.stringify(stored) === JSON.stringify(given.value);
}

/** A model asks a person with the tool `ask_person`. */
export function isQuestionOfModel(gate: string): boolean {
  return gate.includes(`/${ASK_PERSON}#`);
}

/** The reply of a person; null when they decline. */
export function wordsIn(value: JsonValue): JsonValue {
  if (value === 'decline') return null;
  const { selected, additional_input: words } = isPlainObject(value)
    ? value
    : { selected: 'answer', additional_input: value };
  return selected === 'answer' ? (words ?? null) : null;
}

function isReply(value: JsonValue): boolean {
  if (value === 'decline') return true;
  if (isPlainObject(value) && value['selected'] === 'decline') return true;
  const words = wordsIn(value);
  return typeof words === 'string' && words.trim() !== '' && value !== 'answer';
}

function answersQuestions(
  value: JsonValue,
  { list = [], maySkip }: QuestionsPlan,
  options: readonly JsonValue[],
): boolean {
  const option = value === 'skip_all' ? 'skip' : value;
  // a required question cannot be skipped
  if (option === 'skip' && list.some(({ isRequired }) => isRequired)) return false;
  if (option === 'skip' || option === 'abort') return options.includes(option);
  const given = byId(value, list);
  if (given === undefined) return false;
  return list.every(({ default: usual, choices, isFree, isRequired }, index) => {
    const answer = given[idOf(list, index)] ?? usual ?? '';
    if (answer === '') return !isRequired && maySkip;
    return choices === undefined || isFree || choices.some((choice) => choice === answer);
  });
}

/** Undefined where there are more answers than questions, or one to no question. */
function byId(
  value: JsonValue,
  list: readonly QuestionPlan[],
): Readonly<Record<string, JsonValue>> | undefined {
  if (isPlainObject(value)) {
    const { answers } = value;
    const given = isPlainObject(answers) ? answers : value;
    const ids = list.map((_, index) => idOf(list, index));
    return Object.keys(given).every((id) => ids.includes(id)) ? given : undefined;
  }
  const lines = typeof value === 'string' ? value.split('\n') : [value];
  const items = isArray(value) ? value : lines;
  return items.length > list.length
    ? undefined
    : Object.fromEntries(items.map((item, index) => [idOf(list, index), item]));
}

function idOf(list: readonly QuestionPlan[], index: number): string {
  return list[index]?.id ?? `q${index + 1}`;
}
