/** Answers in JSON, in the form that every route gives them. */
import { jsonText } from '../../errors/support/printable.ts';

export interface AnswerOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export function jsonAnswer(value: unknown, options: AnswerOptions = {}): Response {
  return jsonTextAnswer(jsonText(value), options);
}

/** The same for a value that is text already. */
export function jsonTextAnswer(text: string, options: AnswerOptions = {}): Response {
  const { status = 200, headers = {} } = options;
  return new Response(text, {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  });
}

export function emptyAnswer(options: AnswerOptions = {}): Response {
  const { status = 204, headers = {} } = options;
  return new Response(null, { status, headers: { 'cache-control': 'no-store', ...headers } });
}

/** Whether `If-None-Match` names this tag; a weak tag counts as the same. */
export function isUnchanged(request: Request, tag: string): boolean {
  const given = request.headers.get('if-none-match');
  if (given === null) return false;
  return given.split(',').some((each) => {
    const plain = each.trim().replace(/^W\//, '');
    return plain === '*' || plain === tag;
  });
}
