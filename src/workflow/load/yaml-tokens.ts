/**
 * The tokens of a YAML text, made by the library's lexer and parser. The parser's own `next` looks
 * into `process.env` for each lexeme and is a generator in a generator: more than half of the time
 * that a large file took (yaml 2.9.1). So what it does with a lexeme is done here. The version of the
 * package is exact, and a test holds this to the library's own answer.
 */
import { CST, Lexer, Parser } from 'yaml';

/** Deeper than any workflow, and shallow enough for every walk over a document. */
export const MAX_DEPTH = 100;

/** The document at the bottom of the parser's stack, and a scalar at its top. */
const NOT_NESTING = 2;

export interface YamlTokens {
  readonly tokens: readonly CST.Token[];
  /** Where the text nests too deep. Nothing was read beyond: to compose descends with the text. */
  readonly tooDeepAt?: number;
}

export function yamlTokens(text: string): YamlTokens {
  const parser = new Parser();
  // the same object: these fields are private to its types only
  const inside = parser as unknown as ParserState;
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    advance(inside, lexeme, tokens);
    if (parser.stack.length > MAX_DEPTH + NOT_NESTING)
      return { tokens: [], tooDeepAt: Math.max(0, parser.offset - 1) };
  }
  tokens.push(...parser.end());
  return { tokens };
}

/** What the parser keeps between two lexemes. */
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

function advance(parser: ParserState, lexeme: string, tokens: CST.Token[]): void {
  parser.source = lexeme;
  if (parser.atScalar) {
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
    // these two stand for a place and not for a character
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
