/** `errand classify`: failures in, verdicts out, one JSON object for each. */
import { ErrandError } from '../../errors/errand-error.ts';
import { isPlainObject, readProperty } from '../../errors/json.ts';
import { forPerson } from '../../errors/project.ts';
import { classify as classifyFailure } from '../../providers/classify/classify.ts';
import { extractFailure } from '../../providers/extract/extract.ts';
import { refusal } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

export interface ClassifyOptions {
  readonly jsonl?: boolean;
}

export async function classify(
  input: AsyncIterable<string>,
  options: ClassifyOptions,
  terminal: Terminal,
): Promise<number> {
  const read = options.jsonl === true ? await classifyLines(input, terminal) : await classifyWhole(input, terminal);
  if (read === 0) {
    throw refusal(
      'Nothing could be read from standard input',
      'Give one failure as JSON, or one per line with --jsonl: {"provider", "status", "headers", "body", "transport", "stream"}',
    );
  }
  return 0;
}

async function classifyLines(input: AsyncIterable<string>, terminal: Terminal): Promise<number> {
  let line = 0;
  let read = 0;
  for await (const text of linesOf(input)) {
    line++;
    if (text.trim() === '') continue;
    try {
      terminal.out(JSON.stringify(verdictOn(parse(text))));
      read++;
    } catch (error) {
      // one bad line is told on its own line, and the rest goes on
      if (!(error instanceof ErrandError)) throw error;
      terminal.out(JSON.stringify({ line, error: forPerson(error.report) }));
    }
  }
  return read;
}

async function classifyWhole(input: AsyncIterable<string>, terminal: Terminal): Promise<number> {
  let text = '';
  for await (const chunk of input) text += chunk;
  if (text.trim() === '') return 0;
  terminal.out(JSON.stringify(verdictOn(parse(text))));
  return 1;
}

export interface Verdict {
  readonly id?: unknown;
  readonly kind: string;
  readonly category: string;
  readonly retryable: boolean | null;
  readonly retryAfterMs: number | null;
  readonly outcome: string;
  readonly rule: string;
  readonly confidence: string;
}

/** Throws `validation.input` when the value holds no failure. */
export function verdictOn(value: unknown): Verdict {
  const failure = isPlainObject(value)
    ? extractFailure({ transport: null, ...value })
    : undefined;
  if (failure === undefined) {
    throw refusal(
      'There is no failure in it: an object with a status, a body or a transport is needed',
      'See errand classify --help for the fields.',
    );
  }
  const { kind, category, retryable, retryAfterMs, outcome, rule, confidence } =
    classifyFailure(failure);
  const id = readProperty(value, 'id');
  return {
    ...(id === undefined ? {} : { id }),
    kind,
    category,
    retryable,
    retryAfterMs,
    outcome,
    rule,
    confidence,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ErrandError(
      {
        kind: 'validation.input',
        message: 'This is not JSON',
        details: { excerpt: text.slice(0, 80) },
      },
      { cause: error },
    );
  }
}

async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
