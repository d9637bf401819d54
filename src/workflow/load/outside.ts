/**
 * What a file takes from around it: values of variables, texts of other files. Whoever wrote the file may
 * not be allowed to see them (a pull request is checked with the secrets of the checker around it), so what
 * is said about the file names the variable and never shows its value, and shows nothing of what was
 * included. Words that the workflow's own files have may always be said.
 */
import type { DiagnosticCode } from '../codes.ts';
import type { Diagnostic } from '../diagnostics.ts';

const HIDDEN = '…';

/** Shorter values are words of ours too, and are hidden only where nothing else is quoted. */
const MIN_CHARS = 4;

/** These are about names between braces, which no file has but one that was written as a template. */
const OF_TEMPLATES: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  'template-syntax',
  'unknown-name',
  'doubtful-name',
  'unknown-field',
  'unknown-input',
  'unknown-state',
  'never-ran',
  'never-failing',
  'not-in-input',
]);

export class Outside {
  /** By value, on one line: what stands for it. */
  readonly #values = new Map<string, string>();
  readonly #included = new Map<string, string>();
  readonly #own: string[] = [];

  /** The text of a workflow, which its author knows. */
  addOwn(text: string): void {
    this.#own.push(text);
  }

  addVariable(name: string, value: string): void {
    const flat = flatten(value);
    if (flat !== '') this.#values.set(flat, `\${${name}}`);
  }

  /** A piece of YAML beside the workflow is a part of it; anything else may be any file of the machine. */
  addIncluded(file: string, text: string): void {
    if (isNear(file) && /\.(?:ya?ml|json)$/i.test(file)) this.addOwn(text);
    else this.#included.set(file, flatten(text));
  }

  /** The same where there is nothing to hide. */
  hiddenIn(diagnostic: Diagnostic): Diagnostic {
    if (this.#values.size === 0 && this.#included.size === 0) return diagnostic;
    const { file, code, message, expected, suggestion } = diagnostic;
    const isForeign = this.#included.has(file);
    if (isForeign && isNear(file) && OF_TEMPLATES.has(code)) return diagnostic;
    return {
      ...diagnostic,
      message: this.text(message),
      ...(expected === undefined ? {} : { expected: this.text(expected) }),
      ...(suggestion === undefined ? {} : { suggestion: this.#suggested(suggestion) }),
      ...(isForeign ? { excerpt: '' } : {}),
    };
  }

  /** The name alone is what is written already, in quotes, which make a text of any value. */
  #suggested(suggestion: string): string {
    const shown = this.text(suggestion);
    const isWritten = shown !== suggestion && [...this.#values.values()].includes(shown);
    return isWritten ? `Write ${quote(shown)} without quotes: in quotes it is a text` : shown;
  }

  text(text: string): string {
    if (this.#values.size === 0 && this.#included.size === 0) return text;
    const exact = this.#values.get(text);
    if (exact !== undefined && !this.#isOwn(text)) return exact;
    let rest = text;
    for (const [value, name] of this.#longestFirst())
      if (value.length >= MIN_CHARS && !this.#isOwn(value)) rest = rest.replaceAll(value, name);
    return rest
      .replace(QUOTED, (whole, inner: string) => this.#quoted(inner) ?? whole)
      .replace(NUMBER, (whole, before: string, number: string) => {
        const name = this.#numbered(number);
        return name === undefined ? whole : `${before}${name}`;
      });
  }

  /** What is quoted may be a piece of a value, or the beginning of it. */
  #quoted(inner: string): string | undefined {
    const said = flatten(inner).replace(/…$/, '');
    if (said === '' || this.#isOwn(said)) return undefined;
    for (const [value, name] of this.#values)
      if (value === said || (said.length >= MIN_CHARS && value.includes(said))) return quote(name);
    for (const text of this.#included.values())
      if (text === said || (said.length >= MIN_CHARS && text.includes(said))) return quote(HIDDEN);
    return undefined;
  }

  #numbered(number: string): string | undefined {
    if (this.#isOwn(number)) return undefined;
    const texts: (readonly [string, string])[] = [
      ...this.#values,
      ...Array.from(this.#included.values(), (text) => [text, HIDDEN] as const),
    ];
    return texts.find(([value]) => Number(value) === Number(number))?.[1];
  }

  #isOwn(text: string): boolean {
    return this.#own.some((own) => own.includes(text));
  }

  #longestFirst(): (readonly [value: string, name: string])[] {
    return [...this.#values].toSorted(([a], [b]) => b.length - a.length);
  }
}

const QUOTED = /`([^`]*)`/g;
const NUMBER = /(the number )(-?[\d.]+(?:e[+-]?\d+)?)/g;

/** Below the folder that paths begin in. */
function isNear(file: string): boolean {
  return !/^(?:\.\.|[/\\]|[A-Za-z]:)/.test(file);
}

function flatten(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function quote(text: string): string {
  return `\`${text}\``;
}
