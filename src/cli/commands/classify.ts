/** `errand classify`: reads failures and prints the classification of each as a JSON object. */
import { jsonText } from '../../errors/support/printable.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { exitCode, forPerson } from '../../errors/report/audiences.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import {
  classifiedValue,
  FAILURE_FIELDS,
  type ClassifyAnswer,
} from '../../providers/classify/classified-value.ts';
import { refusal } from '../exit.ts';
import { linesOf, type Line } from '../session/read-lines.ts';
import type { Terminal } from '../terminal.ts';

export interface ClassifyOptions {
  readonly jsonl?: boolean;
}

export async function classify(
  input: AsyncIterable<string>,
  options: ClassifyOptions,
  terminal: Terminal,
): Promise<number> {
  return options.jsonl === true ? classifyLines(input, terminal) : classifyWhole(input, terminal);
}

/** A bad line gives an error on its own line, and the other lines are still read. */
async function classifyLines(input: AsyncIterable<string>, terminal: Terminal): Promise<number> {
  let read = 0;
  for await (const line of linesOf(input)) {
    if (line.text.trim() === '') continue;
    const answer = tryClassify(() => classifiedValue(parseLine(line)));
    if (answer.report === undefined) read++;
    terminal.out(
      jsonText(
        answer.report === undefined
          ? answer.classification
          : { line: line.number, error: forPerson(answer.report) },
      ),
    );
    await terminal.drained();
  }
  if (read === 0) throw nothingRead();
  return 0;
}

async function classifyWhole(input: AsyncIterable<string>, terminal: Terminal): Promise<number> {
  const chunks: string[] = [];
  for await (const chunk of input) chunks.push(chunk);
  const text = chunks.join('').replace(/^\ufeff/, '');
  if (text.trim() === '') throw nothingRead();

  const answer = tryClassify(() => classifiedValue(parseWhole(text)));
  if (answer.report === undefined) {
    terminal.out(jsonText(answer.classification));
    return 0;
  }
  terminal.out(jsonText({ error: forPerson(answer.report) }));
  return exitCode(answer.report);
}

function nothingRead(): ErrandError {
  return refusal(
    'No failure could be read from standard input',
    `Give one failure as JSON, or one per line with --jsonl: ${FAILURE_FIELDS}`,
  );
}

type Answer =
  | { readonly classification: ClassifyAnswer; readonly report?: undefined }
  | { readonly report: ErrorReport };

function tryClassify(work: () => ClassifyAnswer): Answer {
  try {
    return { classification: work() };
  } catch (error) {
    if (error instanceof ErrandError) return { report: (error as ErrandError).report };
    throw error;
  }
}

function parseLine({ text, isCut }: Line): unknown {
  if (isCut) {
    throw refusal('The line is too long to read', 'Give only the failure itself.');
  }
  const next =
    'Put one whole JSON object on each line. Leave --jsonl out for an object that takes several lines.';
  return parse(text, 'The line is not JSON', next);
}

function parseWhole(text: string): unknown {
  const isLines = text.trim().includes('\n') && isJson(text.trim().split('\n', 1)[0] ?? '');
  const next = isLines
    ? 'It looks like one failure per line: add --jsonl.'
    : 'Give one JSON object; errand classify --help has an example.';
  return parse(text, 'Standard input is not JSON', next);
}

function parse(text: string, message: string, next: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ErrandError(
      {
        kind: 'validation.input',
        message,
        details: { reason: reasonOf(error), excerpt: text.slice(0, 80) },
        action: { kind: 'change_input', detail: next },
      },
      { cause: error },
    );
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // not JSON
    return false;
  }
}

/** Removes the piece of input that the parser quotes; the excerpt has it. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/, ?(?:\.{3})?".*is not valid JSON$/s, '');
}
