/**
 * How deep a YAML text nests, before anything builds a tree of it: the parser descends with the
 * text, and a line of ten thousand brackets would cost it a second and its stack.
 */
import { Lexer } from 'yaml';

/** Deeper than any workflow, and shallow enough for every walk over a document. */
export const MAX_DEPTH = 100;

const SCALAR_FOLLOWS = '\u001f';

/** The offset where the bound is first passed; undefined when it never is. */
export function findTooDeep(text: string): number | undefined {
  const levels = new BlockLevels();
  let offset = 0;
  let flowDepth = 0;
  let isScalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme === SCALAR_FOLLOWS) {
      isScalar = true;
      continue;
    }
    if (!isControl(lexeme)) offset += lexeme.length;
    if (isScalar) {
      isScalar = false;
      levels.content();
    } else if (lexeme === '[' || lexeme === '{') {
      flowDepth++;
    } else if (lexeme === ']' || lexeme === '}') {
      flowDepth = Math.max(0, flowDepth - 1);
    } else {
      levels.see(lexeme);
    }
    if (flowDepth + levels.depth > MAX_DEPTH) return Math.max(0, offset - lexeme.length);
  }
  return undefined;
}

/** Document and flow ends that the lexer reports without a character of the text. */
function isControl(lexeme: string): boolean {
  return lexeme === '\u0002' || lexeme === '\u0018' || lexeme === '\u001e';
}

/** Block nesting: the indentations that are open, and the indicators in the line so far. */
class BlockLevels {
  readonly #indents: number[] = [];
  #inLine = 0;
  #isLineStart = true;
  #indent = 0;

  get depth(): number {
    return this.#indents.length + this.#inLine;
  }

  see(lexeme: string): void {
    if (lexeme.endsWith('\n')) {
      this.#isLineStart = true;
      this.#inLine = 0;
      this.#indent = 0;
    } else if (this.#isLineStart && /^ +$/.test(lexeme)) {
      this.#indent = lexeme.length;
    } else if (lexeme === '-' || lexeme === '?' || lexeme === ':') {
      this.content();
      this.#inLine++;
    } else if (!lexeme.startsWith('#')) {
      this.content();
    }
  }

  content(): void {
    if (!this.#isLineStart) return;
    this.#isLineStart = false;
    while ((this.#indents.at(-1) ?? -1) >= this.#indent) this.#indents.pop();
    this.#indents.push(this.#indent);
  }
}
