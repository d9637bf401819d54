/**
 * How deep a YAML text nests, read from its lexemes before anything builds a tree of it: building
 * descends with the text, and a line of ten thousand brackets would cost it a second and its stack.
 */

/** Deeper than any workflow, and shallow enough for every walk over a document. */
export const MAX_DEPTH = 100;

/** Told by the lexer before a lexeme that is a scalar. */
const SCALAR_FOLLOWS = '\u001f';
/** Ends that the lexer tells without a character of the text. */
const WITHOUT_TEXT: ReadonlySet<string> = new Set(['\u0002', '\u0018', SCALAR_FOLLOWS]);

export class Nesting {
  /** Where the last lexeme begins. */
  offset = 0;
  isTooDeep = false;
  #nextOffset = 0;
  #isScalar = false;
  #flowDepth = 0;
  /** Indentations of the blocks that are open. */
  readonly #indents: number[] = [];
  /** Indicators such as `- - -` in the line so far. */
  #inLine = 0;
  #isLineStart = true;
  #indent = 0;

  /** False when the bound is passed. */
  see(lexeme: string): boolean {
    this.offset = this.#nextOffset;
    if (!WITHOUT_TEXT.has(lexeme) || this.#isScalar) this.#nextOffset += lexeme.length;
    if (this.#isScalar) {
      this.#isScalar = false;
      this.#content();
    } else {
      this.#indicator(lexeme);
    }
    this.isTooDeep = this.#flowDepth + this.#indents.length + this.#inLine > MAX_DEPTH;
    return !this.isTooDeep;
  }

  #indicator(lexeme: string): void {
    switch (lexeme) {
      case SCALAR_FOLLOWS:
        this.#isScalar = true;
        return;
      case '[':
      case '{':
        this.#content();
        this.#flowDepth++;
        return;
      case ']':
      case '}':
        this.#flowDepth = Math.max(0, this.#flowDepth - 1);
        return;
      case '-':
      case '?':
      case ':':
        this.#content();
        this.#inLine++;
        return;
      default:
        this.#blank(lexeme);
    }
  }

  #blank(lexeme: string): void {
    if (lexeme.endsWith('\n')) {
      this.#isLineStart = true;
      this.#inLine = 0;
      this.#indent = 0;
    } else if (lexeme.startsWith(' ') && this.#isLineStart) {
      this.#indent = lexeme.length;
    } else if (!lexeme.startsWith('#') && !lexeme.startsWith(' ')) {
      this.#content();
    }
  }

  #content(): void {
    if (!this.#isLineStart) return;
    this.#isLineStart = false;
    while ((this.#indents.at(-1) ?? -1) >= this.#indent) this.#indents.pop();
    this.#indents.push(this.#indent);
  }
}
