/** The tokens of a YAML text, from the lexer and the parser of the library, down to a bounded depth. */
import { Lexer, Parser, type CST } from 'yaml';

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
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > MAX_DEPTH + NOT_NESTING)
      return { tokens: [], tooDeepAt: Math.max(0, parser.offset - 1) };
  }
  tokens.push(...parser.end());
  return { tokens };
}
