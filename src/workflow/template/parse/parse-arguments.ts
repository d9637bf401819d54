/** Parses arguments of filters, tests and methods, and binds them to parameters at load. */
import { suggest } from '../../../errors/support/suggest.ts';
import type { Arguments, Expression } from './ast.ts';
import {
  expectSymbol,
  isSymbol,
  parseInner,
  peek,
  spanFrom,
  take,
  takeSymbol,
  unexpected,
  type Cursor,
} from './token-cursor.ts';
import { refuse, type Span } from '../template-error.ts';
import type { Signature } from '../signature.ts';

export interface ParsedArguments extends Span {
  readonly positional: readonly Expression[];
  readonly named: readonly NamedArgument[];
}

interface NamedArgument extends Span {
  readonly name: string;
  readonly value: Expression;
}

/** Starts at `(`. */
export function parseArguments(cursor: Cursor): ParsedArguments {
  const start = peek(cursor);
  const positional: Expression[] = [];
  const named: NamedArgument[] = [];
  expectSymbol(cursor, '(');
  while (!takeSymbol(cursor, ')')) {
    if (isNamed(cursor)) named.push(parseNamed(cursor));
    else if (named.length === 0) positional.push(parseInner(cursor));
    else refuse(peek(cursor), 'Arguments without a name must come before those with one');
    if (!takeSymbol(cursor, ',') && !isSymbol(cursor, ')')) unexpected(cursor, '`,` or `)`');
  }
  return { positional, named, ...spanFrom(cursor, start) };
}

/** `owner` names the filter, test or method in messages. */
export function bindArguments(
  { parameters }: Signature,
  parsed: ParsedArguments,
  owner: string,
): Arguments {
  const names = parameters.map((parameter) => parameter.replace('?', ''));
  const extra = parsed.positional[names.length];
  if (extra !== undefined) refuse(extra, `${owner} takes ${count(names.length)}`);

  const bound: (Expression | undefined)[] = names.map((_, index) => parsed.positional[index]);
  for (const { name, value, ...span } of parsed.named) {
    const index = names.indexOf(name);
    if (index === -1) refuse(span, `${owner} has no argument \`${name}\``, suggest(name, names));
    if (bound[index] !== undefined) refuse(span, `\`${name}\` is passed twice`);
    bound[index] = value;
  }
  const missing = parameters.find((name, index) => !name.endsWith('?') && !bound[index]);
  if (missing !== undefined) refuse(parsed, `${owner} needs \`${missing}\``);
  return bound;
}

function isNamed(cursor: Cursor): boolean {
  const next = peek(cursor, 1);
  return peek(cursor).kind === 'name' && next.kind === 'symbol' && next.text === '=';
}

function parseNamed(cursor: Cursor): NamedArgument {
  const start = take(cursor);
  cursor.index++;
  const value = parseInner(cursor);
  return { name: start.text, value, ...spanFrom(cursor, start) };
}

function count(most: number): string {
  if (most === 0) return 'no arguments';
  return most === 1 ? 'one argument' : `at most ${most} arguments`;
}
