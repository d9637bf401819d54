/**
 * `questions`: a person answers a list of questions at one gate. It is planned as a gate; only the question
 * and the answer differ.
 */
import { parseDuration } from '../plan/duration.ts';
import { omitUndefined } from '../plan/omit-undefined.ts';
import type { GateOption, HumanGatePlan, QuestionPlan } from '../plan/node-plan.ts';
import type { Path } from '../plan/pointer.ts';
import type { Planner } from '../plan/planner.ts';
import {
  anyText,
  choice,
  duration,
  exampled,
  flag,
  list,
  literal,
  name,
  scalar,
  strict,
  text,
  type FromFile,
  type FromShape,
} from '../schema/leaf.ts';
import { target } from '../schema/route-schema.ts';
import { planStep, stepShape } from './shared-keys.ts';

const question = strict(
  'a question',
  'One question to the person.',
  {
    id: name('The name of its answer. Default: q1, q2 and so on.').optional(),
    text: text('The question, as a template.'),
    hint: anyText('Help for the person, as a template.').optional(),
    choices: list('Answers to choose from.', scalar('An answer.')).optional(),
    allow_free_text: flag(
      'Whether an answer may differ from the choices. Default: true.',
    ).optional(),
    default: scalar('The answer when the person gives none.').optional(),
    required: flag('Whether it must be answered. Default: false.').optional(),
    multiline: flag('Whether the answer may have several lines. Default: false.').optional(),
  },
  {
    id: 'scope',
    text: 'Which region is it for?',
    hint: 'The region of the customer',
    choices: ['eu', 'us'],
    allow_free_text: false,
    default: 'eu',
    required: true,
  },
);

export const questionsShape = exampled(
  {
    type: literal('A person answers a list of questions.', 'questions'),
    ...stepShape,
    prompt: anyText('What the person reads before the questions, as a template.').optional(),
    questions: list('The questions.', question, 1).optional(),
    source: text(
      'A dotted name or a template that gives the questions: texts, or maps with `question` and `choices`.',
    ).optional(),
    allow_back: flag('Whether the person may revise an earlier answer. Default: true.').optional(),
    allow_skip: flag('Whether a question may be left without an answer. Default: true.').optional(),
    allow_skip_all: flag(
      'Whether all of them may, where none is required. Default: true.',
    ).optional(),
    allow_abort: flag('Whether the person may stop here. Default: false.').optional(),
    abort_route: target
      .describe('The node that runs next when the person stops; wins over `routes`.')
      .optional(),
    timeout: duration('How long the gate is open. Default: no limit.').optional(),
    answered_by: choice(
      'Who may answer: `person` refuses the answers of programs. Default: anyone.',
      ['anyone', 'person'],
    ).optional(),
  },
  {
    prompt: 'Before I begin:',
    questions: [{ text: 'Which region is it for?' }],
    source: 'plan.output.open_questions',
    abort_route: 'publish',
    timeout: '24h',
  },
);

export type QuestionsFile = FromShape<typeof questionsShape>;

export function planQuestions(
  node: QuestionsFile,
  path: Path,
  planner: Planner,
): Omit<HumanGatePlan, 'fingerprint'> {
  return omitUndefined({
    type: 'human_gate',
    ...planStep(node, path, planner),
    prompt: node.prompt ?? '',
    options: optionsOf(node),
    expiresMs: node.timeout === undefined ? undefined : parseDuration(node.timeout),
    answeredBy: node.answered_by === 'person' ? node.answered_by : undefined,
    questions: omitUndefined({
      list: node.questions?.map(planQuestion),
      source: node.source,
      maySkip: node.allow_skip ?? true,
      mayGoBack: node.allow_back ?? true,
    }),
  });
}

function optionsOf(node: QuestionsFile): readonly GateOption[] {
  const isMultiline = true;
  return [
    { label: 'Answer', value: 'answer', promptFor: 'answers', isMultiline },
    // a required question keeps the others from being skipped with it
    ...(node.allow_skip_all === false || node.questions?.some(({ required }) => required === true)
      ? []
      : [{ label: 'Skip all', value: 'skip', isMultiline: false }]),
    ...(node.allow_abort === true
      ? [
          omitUndefined({
            label: 'Stop',
            value: 'abort',
            route: node.abort_route,
            isMultiline: false,
          }),
        ]
      : []),
  ];
}

function planQuestion(from: FromFile<typeof question>): QuestionPlan {
  return omitUndefined({
    id: from.id,
    text: from.text,
    hint: from.hint,
    choices: from.choices,
    isFree: from.allow_free_text ?? true,
    default: from.default,
    isRequired: from.required ?? false,
  });
}
