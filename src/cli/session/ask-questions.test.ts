import { describe, expect, it } from 'vitest';
import type { AskedQuestion } from '../../machine/state/events.ts';
import { askQuestions, type QuestionRules } from './ask-questions.ts';

const REGION: AskedQuestion = {
  id: 'region',
  text: 'Which region?',
  hint: 'Of the customer',
  choices: ['eu', 'us'],
  isFree: false,
  isRequired: true,
};
const NOTE: AskedQuestion = { id: 'q2', text: 'Why?', isFree: true, isRequired: false };
const COUNT: AskedQuestion = {
  id: 'n',
  text: 'How many?',
  default: 3,
  isFree: true,
  isRequired: false,
};

const ALL: QuestionRules = {
  maySkip: true,
  mayGoBack: true,
  options: ['answer', 'skip', 'abort'],
};

/** The answer that the gate gets, and the text that the person read. */
async function asked(
  typed: readonly string[],
  questions: readonly AskedQuestion[] = [REGION, NOTE, COUNT],
  rules = ALL,
) {
  const said: string[] = [];
  const lines = [...typed];
  const value = await askQuestions(questions, rules, {
    ask: () => Promise.resolve(lines.shift()),
    err: (text) => said.push(text),
  });
  return { value, said };
}

describe('questions at the terminal', () => {
  it('are asked one by one, with choices by number and defaults', async () => {
    const { value, said } = await asked(['2', 'because', '']);
    expect(value).toEqual({ answers: { region: 'us', q2: 'because', n: 3 } });
    expect(said).toEqual([
      'Also: :back, :skip, :skip all, :abort.',
      '1 of 3: Which region?\n  Of the customer\n  1  eu\n  2  us',
      '2 of 3: Why?',
      '3 of 3: How many? [3]',
    ]);
  });

  it('may be revised, and left without an answer', async () => {
    const back = await asked(['eu', ':back', 'us', 'x', ':back', ':skip', '5']);
    expect(back.value).toEqual({ answers: { region: 'us', n: '5' } });
  });

  it('are asked again where an answer is missing or is no choice', async () => {
    const { value, said } = await asked(['', 'asia', ':skip', 'eu', ':skip all']);
    expect(value).toBe('skip');
    expect(said.filter((line) => !line.includes(' of 3'))).toEqual([
      'Also: :back, :skip, :skip all, :abort.',
      'This question needs an answer.',
      'Type one of the choices or its number, 1 to 2.',
      'This question needs an answer.',
    ]);
  });

  it('may be stopped, and left for later', async () => {
    expect((await asked(['eu', ':abort'])).value).toBe('abort');
    expect((await asked(['eu'])).value).toBeUndefined();
  });

  it('take a word for the list as an answer where the list does not have it', async () => {
    const rules: QuestionRules = { maySkip: false, mayGoBack: false, options: ['answer'] };
    const { value, said } = await asked([':abort'], [NOTE], rules);
    expect(value).toEqual({ answers: { q2: ':abort' } });
    expect(said).toEqual(['1 of 1: Why?']);
  });

  it('show no control character of a model', async () => {
    const { said } = await asked(['x'], [{ ...NOTE, text: 'Why?\u001b[2J\nanswer: yes' }]);
    expect(said[1]).not.toContain('\u001b');
    expect(said[1]?.split('\n')).toHaveLength(1);
  });
});
