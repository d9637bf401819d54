/** Asks the person at the terminal to answer an open gate. */
import { jsonText, oneLine, singleLine, visible } from '../../errors/support/printable.ts';
import { columnsOf, wrap } from '../../errors/render/columns.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { Answer } from '../../machine/gates/gate-answer.ts';
import type { RunEvent, Waiting } from '../../machine/state/events.ts';
import { nodeAtPath } from '../../history/node-at-path.ts';
import {
  describeInexact,
  inexactAdvice,
  readJson,
  type ReadJson,
} from '../../workflow/json-schema/exact-number.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { Terminal } from '../terminal.ts';
import { currentUser } from '../project/user-name.ts';

export type Opened = Extract<RunEvent, { type: 'gate:opened' }>;

type Ask = (question: string) => Promise<string | undefined>;

export interface AskedOption {
  readonly value: JsonValue;
  readonly label?: string;
  /** Asks for a text under this name. */
  readonly promptFor?: string;
  /** Asks for the result that takes the place of a failure. */
  readonly isEdit?: true;
}

/** Returns the gate to ask about next; undefined where the run waits for no gate. */
export function openGate(waiting: Waiting, events: readonly RunEvent[]): Opened | undefined {
  const gates = waiting.all.flatMap(({ gate }) => gate ?? []);
  return events.findLast(
    (event): event is Opened => event.type === 'gate:opened' && event.gate === gates[0],
  );
}

/** Returns undefined when the person leaves, or the question is withdrawn. */
export async function askGate(
  opened: Opened,
  plan: WorkflowPlan | undefined,
  { ask: askText, err, notes, columns }: Pick<Terminal, 'ask' | 'err' | 'notes' | 'columns'>,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  if (askText === undefined) return undefined;
  const ask: Ask = (question) => askText(question, signal);
  const { questions } = opened;
  const node = plan === undefined ? undefined : nodeAtPath(plan, opened.path)?.node;
  const asked = node?.type === 'human_gate' ? node.questions : undefined;
  if (questions !== undefined && asked !== undefined) {
    err(introText(opened, notes?.columns ?? columns));
    const { askQuestions } = await import('./ask-questions.ts');
    const rules = { ...asked, options: opened.options };
    const value = await askQuestions(questions, rules, { ask, err });
    if (value === undefined) err('');
    return value === undefined
      ? undefined
      : { gate: opened.gate, opening: opened.seq, value, by: currentUser() };
  }
  const options = optionsOf(opened, plan);
  err(questionText(opened, options, notes?.columns ?? columns));
  for (;;) {
    const typed = await ask('answer: ');
    if (typed === undefined) {
      // the cursor is still behind the question
      err('');
      return undefined;
    }
    const option = chosen(typed, options);
    if (option === undefined) {
      err(`Type one of the answers or its number, 1 to ${options.length}.`);
      continue;
    }
    const value = await completed(option, ask, err);
    if (value === undefined) return undefined;
    return { gate: opened.gate, opening: opened.seq, value, by: currentUser() };
  }
}

/** The words before the questions, which follow one by one. */
function introText({ path, prompt, questions = [] }: Opened, columns: number): string {
  const first = prompt.indexOf(`1. ${questions[0]?.text ?? ''}`);
  const intro = first < 0 ? '' : prompt.slice(0, first).trim();
  const count = questions.length === 1 ? 'a question' : `${questions.length} questions`;
  return [
    ...promptLines(oneLine(path), intro === '' ? count : intro, columns),
    'Press Ctrl-C to answer later.',
  ].join('\n');
}

export function questionText(
  { path, prompt }: Opened,
  options: readonly AskedOption[],
  columns = 80,
): string {
  return [
    ...promptLines(oneLine(path), prompt, columns),
    ...options.map(({ value, label }, index) => {
      const name = oneLine(optionWord(value));
      return `  ${index + 1}  ${name}${label === undefined || label === name ? '' : `  ${oneLine(singleLine(label))}`}`;
    }),
    `Choose ${options.length === 1 ? '1' : `1–${options.length}`}, or press Ctrl-C to answer later.`,
  ].join('\n');
}

/** A prompt may contain anybody's text, so its lines are marked: none can pass for an option below. */
function promptLines(path: string, prompt: string, columns: number): string[] {
  const lines = visible(prompt.replaceAll('\r\n', '\n')).trimEnd().split('\n');
  const [only = ''] = lines;
  if (lines.length === 1 && columnsOf(`${path} asks: ${only}`) <= columns)
    return [`${path} asks: ${only}`];
  const quoted = lines.flatMap((line) => wrap(line, columns - QUOTE.length));
  return [`${path} asks:`, ...quoted.map((line) => `${QUOTE}${line}`.trimEnd())];
}

const QUOTE = '  │ ';

/** Finds an option by its number, its value, or its label. */
export function chosen(typed: string, options: readonly AskedOption[]): AskedOption | undefined {
  const text = typed.trim();
  const byName = options.find(({ value, label }) => optionWord(value) === text || label === text);
  return byName ?? (/^\d+$/.test(text) ? options[Number(text) - 1] : undefined);
}

export function optionsOf(
  { path, options, promptFor = [] }: Opened,
  plan: WorkflowPlan | undefined,
): readonly AskedOption[] {
  const node = plan === undefined ? undefined : nodeAtPath(plan, path)?.node;
  // only tool calls of an agent can be approved for longer
  const grants = node?.type === 'agent' && options[0] === 'approve' ? GRANTS : [];
  // its own options, not those of a question about its failure: one of its own may be called edit
  const isOfFile =
    node?.type === 'human_gate' &&
    node.options.length === options.length &&
    node.options.every(({ value }, index) => value === options[index]);
  return [...options.map(toOption), ...grants];

  function toOption(value: JsonValue): AskedOption {
    const known =
      node?.type === 'human_gate' ? node.options.find((each) => each.value === value) : undefined;
    // a label may be a template, whose text only the run knows
    const label = known?.label.includes('{') === false ? { label: known.label } : {};
    const text = promptFor.find((each) => each.value === value);
    return {
      value,
      ...label,
      ...(text === undefined ? {} : { promptFor: text.name }),
      ...(value === 'edit' && !isOfFile ? { isEdit: true as const } : {}),
    };
  }
}

const GRANTS: readonly AskedOption[] = [
  { value: { approve: { for: 'node' } }, label: 'every call of this tool by this node' },
  { value: { approve: { for: 'run' } }, label: 'every call of this tool in this run' },
];

async function completed(
  { value, promptFor, isEdit }: AskedOption,
  ask: Ask,
  err: Terminal['err'],
): Promise<JsonValue | undefined> {
  while (promptFor !== undefined) {
    const text = await ask(`${oneLine(promptFor)}: `);
    if (text === undefined) return undefined;
    if (text.trim() !== '') return { selected: value, additional_input: text };
    err('This answer needs a text.');
  }
  if (isEdit === undefined) return value;
  for (;;) {
    const text = await ask('the result, as JSON: ');
    if (text === undefined) return undefined;
    const edit = jsonOf(text);
    if (edit === undefined) err('That is not JSON. Write it as {"name": value, …}.');
    else if (edit.inexact === undefined) return { edit: edit.value };
    else err(`That ${describeInexact(edit.inexact)}. ${inexactAdvice(edit.inexact)}`);
  }
}

function optionWord(value: JsonValue): string {
  return typeof value === 'string' ? value : jsonText(value);
}

function jsonOf(text: string): ReadJson | undefined {
  try {
    return readJson(text);
  } catch {
    // the caller asks again and says why
    return undefined;
  }
}
