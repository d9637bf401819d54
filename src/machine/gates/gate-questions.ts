/** A gate with a list of questions: its text, the answers that it takes, and the output that they make. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import {
  textOrJson,
  jsonFrom,
  isArray,
  isPlainObject,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';
import type { HumanGatePlan, QuestionPlan, QuestionsPlan } from '../../workflow/plan/node-plan.ts';
import type { AskedQuestion } from '../state/events.ts';
import type { TemplateContext } from '../../workflow/template/context.ts';
import { evaluateDeep, evaluateText, isBare } from '../decide/evaluate-templates.ts';

/** The same state gives the same list: it is made anew for the question and for the answer. */
export function questionsFor(
  { list, source }: QuestionsPlan,
  names: TemplateContext,
): readonly AskedQuestion[] {
  if (list !== undefined)
    return withOwnIds(list.map((question, index) => written(question, index, names)));
  const template = source ?? '';
  const items = evaluateDeep(isBare(template) ? `{{ ${template} }}` : template, names);
  if (!isArray(items))
    throw new ErrandError({
      kind: 'validation.input',
      message: 'The source of the questions is not a list',
      details: { source: template },
      action: { kind: 'fix_file', detail: 'Name a list of texts, or of maps with `question`.' },
    });
  return withOwnIds(items.map(fromData));
}

/**
 * Gives each question an id of its own: a list from a model may repeat ids, and one answer would
 * then be for two questions.
 */
function withOwnIds(questions: readonly AskedQuestion[]): readonly AskedQuestion[] {
  const taken = new Set<string>();
  return questions.map((question, index) => {
    // a name that every object has would count as answered
    const wanted = question.id in {} ? `q${index + 1}` : question.id;
    let id = wanted;
    for (let next = 2; taken.has(id); next++) id = `${wanted}_${next}`;
    taken.add(id);
    return { ...question, id };
  });
}

function written(question: QuestionPlan, index: number, names: TemplateContext): AskedQuestion {
  const { id = `q${index + 1}`, text, hint, ...rest } = question;
  return {
    ...rest,
    id,
    text: evaluateText(text, names),
    ...(hint === undefined ? {} : { hint: evaluateText(hint, names) }),
  };
}

/** A question that a model wrote: a text, or a map. */
function fromData(item: JsonValue, index: number): AskedQuestion {
  const map = isPlainObject(item) ? item : { question: item };
  const { id, hint, choices, required } = map;
  const words = map['question'] ?? map['text'] ?? map['prompt'] ?? null;
  return {
    id: typeof id === 'string' && id !== '' ? id : `q${index + 1}`,
    text: textOrJson(words),
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(isArray(choices) && choices.length > 0 ? { choices } : {}),
    ...(map['default'] === undefined ? {} : { default: map['default'] }),
    isFree: map['allow_free_text'] !== false,
    isRequired: required === true,
  };
}

export function questionsText(intro: string, questions: readonly AskedQuestion[]): string {
  const lines = questions.flatMap(({ id, text, hint, choices }, index) => [
    `${index + 1}. ${text} (${id})`,
    ...(hint === undefined ? [] : [`   ${hint}`]),
    ...(choices === undefined ? [] : [`   Choices: ${choices.map(textOrJson).join(', ')}`]),
  ]);
  const how = 'Answer with JSON by id, such as {"q1": "…"}, or with one line for each question.';
  return [...(intro.trim() === '' ? [] : [intro.trimEnd(), '']), ...lines, '', how].join('\n');
}

/** The part of a model's text that stands above its questions. */
export function introOf(text: string, questions: readonly AskedQuestion[]): string {
  const rest = questionsText('', questions);
  return text.endsWith(rest) ? text.slice(0, -rest.length).trimEnd() : text;
}

/** The answer in the form that is stored. Throws `validation.input`. */
export function acceptAnswers(
  value: JsonValue,
  node: Pick<HumanGatePlan, 'options' | 'questions'>,
  questions: readonly AskedQuestion[],
): JsonValue {
  // a question may have that id
  const isWhole = !questions.some(({ id }) => id === 'selected');
  const plain = isWhole && isPlainObject(value) && 'selected' in value ? value['selected'] : value;
  const option = plain === 'skip_all' ? 'skip' : plain;
  if (option === 'skip' || option === 'abort') {
    const required = option === 'skip' ? questions.find((each) => each.isRequired) : undefined;
    if (required !== undefined)
      throw refused(`The question ${required.id} needs an answer`, questions);
    if (node.options.some((known) => known.value === option)) return option;
    throw refused(`These questions cannot be answered with ${option}`, questions);
  }
  const given = answersIn((isWhole ? textOf(value) : undefined) ?? value, questions);
  const unknown = Object.keys(given).find((id) => !questions.some((each) => each.id === id));
  if (unknown !== undefined) throw refused(`There is no question ${unknown}`, questions);
  const answers: Record<string, JsonValue> = {};
  for (const question of questions) {
    const own = Object.hasOwn(given, question.id) ? given[question.id] : undefined;
    const answer = filledIn(own, question);
    if (answer !== undefined) answers[question.id] = checked(answer, question, questions);
    else if (question.isRequired || node.questions?.maySkip === false)
      throw refused(`The question ${question.id} needs an answer`, questions);
  }
  return { answers };
}

/** The text of an answer that was typed into one field. */
function textOf(value: JsonValue): JsonValue | undefined {
  return isPlainObject(value) && value['selected'] === 'answer'
    ? (value['additional_input'] ?? '')
    : undefined;
}

function answersIn(value: JsonValue, questions: readonly AskedQuestion[]): JsonObject {
  if (isPlainObject(value)) {
    const { answers } = value;
    return isPlainObject(answers) && !questions.some(({ id }) => id === 'answers')
      ? answers
      : value;
  }
  if (isArray(value)) return byOrder(value, questions);
  if (typeof value !== 'string') return byOrder([value], questions);
  const parsed = jsonIn(value);
  if (parsed !== undefined) return answersIn(parsed, questions);
  if (questions.length === 1) return byOrder([value], questions);
  return byOrder(value.trimEnd().split(/\r?\n/), questions);
}

function byOrder(values: readonly JsonValue[], questions: readonly AskedQuestion[]): JsonObject {
  if (values.length > questions.length)
    throw refused(
      `There are ${questions.length} questions, and ${values.length} answers`,
      questions,
    );
  return Object.fromEntries(values.map((value, index) => [questions[index]?.id ?? '', value]));
}

/** Undefined where the text is no JSON object or list. */
function jsonIn(text: string): JsonValue | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return jsonFrom(text);
  } catch {
    // an answer may begin with a bracket
    return undefined;
  }
}

/** Undefined for a question without an answer. */
function filledIn(answer: JsonValue | undefined, { default: usual }: AskedQuestion) {
  const isEmpty = answer === undefined || answer === null || answer === '';
  return isEmpty ? usual : answer;
}

function checked(
  answer: JsonValue,
  { id, choices, isFree }: AskedQuestion,
  questions: readonly AskedQuestion[],
): JsonValue {
  if (choices === undefined) return answer;
  const chosen = choices.find((each) => textOrJson(each) === textOrJson(answer));
  if (chosen !== undefined) return chosen;
  if (isFree) return answer;
  const known = choices.map(textOrJson).join(', ');
  throw refused(`The answer to ${id} must be one of its choices: ${known}`, questions);
}

/** The output of the node, from the stored answer. */
export function questionsOutput(value: JsonValue, questions: readonly AskedQuestion[]): JsonObject {
  const answers = isPlainObject(value) && isPlainObject(value['answers']) ? value['answers'] : {};
  const items = questions.map(({ id, text }) => ({
    id,
    question: text,
    answer: answers[id] ?? null,
    skipped: answers[id] === undefined,
  }));
  const answered = items.filter(({ skipped }) => !skipped).length;
  return {
    selected: typeof value === 'string' ? value : 'answer',
    answers,
    items,
    transcript: items
      .map(
        (each) => `Q: ${each.question}\nA: ${each.skipped ? '(skipped)' : textOrJson(each.answer)}`,
      )
      .join('\n\n'),
    answered_count: answered,
    skipped_count: items.length - answered,
    answered_any: answered > 0,
    outcome: outcomeOf(value),
  };
}

function outcomeOf(value: JsonValue): string {
  if (value === 'abort') return 'aborted';
  return value === 'skip' ? 'skipped' : 'completed';
}

function refused(message: string, questions: readonly AskedQuestion[]): ErrandError {
  const form = JSON.stringify(Object.fromEntries(questions.map(({ id }) => [id, '…'])));
  return new ErrandError({
    kind: 'validation.input',
    message,
    action: { kind: 'answer_gate', detail: `Answer ${form}.` },
  });
}
