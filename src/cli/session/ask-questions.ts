/** Asks a list of questions one by one at the terminal: choices by number, back, skip, abort. */
import { oneLine, visible } from '../../errors/support/printable.ts';
import { textOrJson, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { AskedQuestion } from '../../machine/state/events.ts';

export interface QuestionRules {
  readonly maySkip: boolean;
  readonly mayGoBack: boolean;
  /** The answers to the whole list: `skip`, `abort`. */
  readonly options: readonly JsonValue[];
}

interface Desk {
  readonly ask: (question: string) => Promise<string | undefined>;
  readonly err: (text: string) => void;
}

/** A colon begins a word for the list, so that an answer may be any other text. */
type Word = ':back' | ':skip' | ':skip all' | ':abort';

type Step =
  | { readonly type: 'answered'; readonly answer: JsonValue }
  | { readonly type: 'skipped' | 'back' }
  | { readonly type: 'ends'; readonly value: JsonValue }
  | { readonly type: 'again'; readonly why: string };

/** The value for the gate; undefined when the person leaves. */
export async function askQuestions(
  questions: readonly AskedQuestion[],
  rules: QuestionRules,
  { ask, err }: Desk,
): Promise<JsonValue | undefined> {
  const answers = new Map<string, JsonValue>();
  const words = wordsFor(rules);
  if (words.length > 0) err(`Also: ${words.join(', ')}.`);
  for (let index = 0; index < questions.length;) {
    const question = questions[index];
    if (question === undefined) break;
    err(questionLines(question, index, questions.length));
    const typed = await ask('answer: ');
    if (typed === undefined) return undefined;
    const step = read(typed.trim(), question, { words, maySkip: rules.maySkip });
    switch (step.type) {
      case 'ends':
        return step.value;
      case 'again':
        err(step.why);
        continue;
      case 'back':
        index = Math.max(0, index - 1);
        continue;
      case 'skipped':
        answers.delete(question.id);
        break;
      case 'answered':
        answers.set(question.id, step.answer);
        break;
    }
    index++;
  }
  return { answers: Object.fromEntries(answers) satisfies JsonObject };
}

function wordsFor({ options, maySkip, mayGoBack }: QuestionRules): readonly Word[] {
  return [
    ...(mayGoBack ? [':back' as const] : []),
    ...(maySkip ? [':skip' as const] : []),
    ...(options.includes('skip') ? [':skip all' as const] : []),
    ...(options.includes('abort') ? [':abort' as const] : []),
  ];
}

/** The text may be a model's, so no line of it can pass for one of ours. */
function questionLines(question: AskedQuestion, index: number, count: number): string {
  const { text, hint, choices = [], default: usual } = question;
  const preset = usual === undefined ? '' : ` [${oneLine(textOrJson(usual))}]`;
  return [
    `${index + 1} of ${count}: ${oneLine(visible(text))}${preset}`,
    ...(hint === undefined ? [] : [`  ${oneLine(visible(hint))}`]),
    ...choices.map((choice, at) => `  ${at + 1}  ${oneLine(textOrJson(choice))}`),
  ].join('\n');
}

function read(
  typed: string,
  { choices, isFree, isRequired, default: usual }: AskedQuestion,
  { words, maySkip }: { readonly words: readonly Word[]; readonly maySkip: boolean },
): Step {
  const mayLeave = !isRequired && maySkip;
  const word = words.find((each) => each === typed);
  if (word === ':back') return { type: 'back' };
  if (word === ':abort') return { type: 'ends', value: 'abort' };
  if (word === ':skip all') return { type: 'ends', value: 'skip' };
  if (typed === '' && usual !== undefined) return { type: 'answered', answer: usual };
  if (typed === '' || word === ':skip')
    return mayLeave
      ? { type: 'skipped' }
      : { type: 'again', why: 'This question needs an answer.' };
  if (choices === undefined) return { type: 'answered', answer: typed };
  const byName = choices.find((choice) => textOrJson(choice) === typed);
  const byNumber = /^\d+$/.test(typed) ? choices[Number(typed) - 1] : undefined;
  const chosen = byName ?? byNumber;
  if (chosen !== undefined) return { type: 'answered', answer: chosen };
  return isFree
    ? { type: 'answered', answer: typed }
    : { type: 'again', why: `Type one of the choices or its number, 1 to ${choices.length}.` };
}
