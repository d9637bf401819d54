/**
 * The tokens of a YAML text, from the lexer and the parser of the library, down to a bounded depth.
 *
 * `Parser.next` reads `process.env` for each lexeme, inside two generators, which takes longer than all
 * the rest of it (yaml 2.9.1). `feed` does with a lexeme the same without that. It sets fields that are
 * private to the types of the library, so the version of the package is exact, and a test compares the
 * tokens of whole and of broken texts with the library's own.
 */
import { CST, Lexer, Parser } from 'yaml';

/** Deeper than any workflow, and shallow enough for every recursive walk over a document. */
export const MAX_DEPTH = 100;

/** The parser's stack also holds the document at its bottom and a scalar at its top. */
const NOT_NESTING = 2;

export interface YamlTokens {
  readonly tokens: readonly CST.Token[];
  /** Offset at which the text nests too deep; reading stops there, because composing recurses. */
  readonly tooDeepAt?: number;
}

export function yamlTokens(text: string): YamlTokens {
  const parser = new Parser();
  const state = parser as unknown as ParserState;
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    feed(state, lexeme, tokens);
    if (parser.stack.length > MAX_DEPTH + NOT_NESTING)
      return { tokens: [], tooDeepAt: Math.max(0, parser.offset - 1) };
  }
  tokens.push(...parser.end());
  return { tokens };
}

/** State of the parser between two lexemes, and its steps. */
interface ParserState {
  offset: number;
  source: string;
  type: string;
  indent: number;
  atNewLine: boolean;
  atScalar: boolean;
  step(): Iterable<CST.Token>;
  pop(error: object): Iterable<CST.Token>;
}

function feed(parser: ParserState, lexeme: string, tokens: CST.Token[]): void {
  parser.source = lexeme;
  if (parser.atScalar) {
    // the lexeme before announced a scalar, which may look like any other token
    parser.atScalar = false;
    for (const token of parser.step()) tokens.push(token);
    parser.offset += lexeme.length;
    return;
  }
  const type = CST.tokenType(lexeme);
  if (type === 'scalar') {
    parser.atNewLine = false;
    parser.atScalar = true;
    parser.type = 'scalar';
    return;
  }
  if (type === null) {
    const message = `Not a YAML token: ${lexeme}`;
    const error = { type: 'error', offset: parser.offset, message, source: lexeme };
    for (const token of parser.pop(error)) tokens.push(token);
  } else {
    parser.type = type;
    for (const token of parser.step()) tokens.push(token);
    // these two mark a position, without a character of the text
    if (type === 'doc-mode' || type === 'flow-error-end') return;
    indent(parser, type, lexeme);
  }
  parser.offset += lexeme.length;
}

function indent(parser: ParserState, type: CST.TokenType, lexeme: string): void {
  switch (type) {
    case 'newline':
      parser.atNewLine = true;
      parser.indent = 0;
      return;
    case 'space':
      if (parser.atNewLine && lexeme.startsWith(' ')) parser.indent += lexeme.length;
      return;
    case 'explicit-key-ind':
    case 'map-value-ind':
    case 'seq-item-ind':
      if (parser.atNewLine) parser.indent += lexeme.length;
      return;
    default:
      parser.atNewLine = false;
  }
}
