/**
 * Values from outside a file: environment variables and included files. The author of the file may not be
 * allowed to see them (a pull request is checked with the secrets of the checker), so messages name the
 * variable and never show its value, and show nothing of included files. Words that occur in the workflow's
 * own files are never hidden.
 */
import type { DiagnosticCode } from '../diagnostics/diagnostic-codes.ts';
import type { Diagnostic } from '../diagnostics/diagnostics.ts';
import type { Located } from './located.ts';

const HIDDEN = '…';

/** Shorter values also occur in our own messages, so they are hidden only where the whole quote equals them. */
const MIN_CHARS = 4;

/** Codes about names in template expressions, which only a file written as a template contains. */
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

/** Codes that suggest only names of ours, or name only a missing key of a map or a list. */
export const OF_KEYS: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  'unknown-key',
  'missing-key',
]);

export class Outside {
  /** Replacement for each value; values are on one line. */
  readonly #values = new Map<string, string>();
  readonly #included = new Map<string, string>();
  readonly #own: string[] = [];
  /** Included files inside the base folder. */
  readonly #near = new Set<string>();
  /** Single values of included files, as they are and as JSON. */
  readonly #taken = new Set<string>();
  readonly #isTaken = new WeakMap<Located, boolean>();

  /** Values of the variables that were filled in, by name. */
  readonly #variables = new Map<string, string>();

  /** Adds the text of a workflow, which its author knows. */
  addOwn(text: string): void {
    this.#own.push(text);
  }

  addVariable(name: string, value: string): void {
    this.#variables.set(name, value);
    const flat = flatten(value);
    if (flat === '') return;
    this.#values.set(flat, `\${${name}}`);
    if (escaped(value) !== flat) this.#values.set(escaped(value), `\${${name}}`);
  }

  /** The variables that have one of these values, in order. */
  variablesWith(values: ReadonlySet<string>): readonly string[] {
    return [...this.#variables]
      .filter(([, value]) => values.has(value))
      .map(([name]) => name)
      .toSorted();
  }

  /**
   * A YAML file beside the workflow is part of it; any other, including the target of a link, may
   * be any file of the machine.
   */
  addIncluded(file: string, text: string, realPath = file): void {
    if ([file, realPath].every(isPartOfWorkflow)) this.addOwn(text);
    else this.#included.set(file, flatten(text));
    if ([file, realPath].every(isNear)) this.#near.add(file);
  }

  /** The requested file belongs to the author, unless it is a link to another folder. */
  addTop(file: string, text: string, realPath = file): void {
    if (realPath === file || isNear(realPath)) this.addOwn(text);
    else this.#included.set(file, flatten(text));
  }

  /** Single values of an included file, which a message may quote without their context. */
  addTaken(included: Located): void {
    if (!this.isForeign(included)) return;
    const open = [included];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (typeof next.value === 'string') this.#take(next.value);
      for (const [key, member] of next.members ?? []) {
        this.#take(key);
        open.push(member);
      }
    }
  }

  #take(value: string): void {
    const pieces = /\s/.test(value) ? [] : value.split(/[/:]/);
    for (const text of [value, ...pieces])
      if (text.length >= MIN_CHARS) {
        this.#taken.add(flatten(text));
        this.#taken.add(escaped(text));
      }
  }

  isForeign({ source }: Pick<Located, 'source'>): boolean {
    return this.#included.has(source.file);
  }

  /** Whether a value, or any part of it, came from a variable or from another file. */
  isTaken(located: Located): boolean {
    const known = this.#isTaken.get(located);
    if (known !== undefined) return known;
    const isTaken =
      located.isFilled === true ||
      this.isForeign(located) ||
      [...(located.members?.values() ?? [])].some((member) => this.isTaken(member));
    this.#isTaken.set(located, isTaken);
    return isTaken;
  }

  get isEmpty(): boolean {
    return this.#values.size === 0 && this.#included.size === 0;
  }

  /** Returns the same object if there is nothing to hide. */
  hiddenIn(diagnostic: Diagnostic): Diagnostic {
    if (this.isEmpty) return diagnostic;
    const { file, code, message, expected, suggestion, ...rest } = diagnostic;
    const isForeign = this.#included.has(file);
    if (isForeign && this.#near.has(file) && OF_TEMPLATES.has(code)) return diagnostic;
    const isMadeOfIt = isForeign && !OF_KEYS.has(code);
    const isSayable = suggestion !== undefined && (!isMadeOfIt || isAdvice(suggestion));
    return {
      ...rest,
      file,
      code,
      message: isMadeOfIt ? this.textOfTaken(message, expected ?? '') : this.text(message),
      ...(expected === undefined ? {} : { expected: this.text(expected) }),
      ...(isSayable ? { suggestion: this.text(suggestion) } : {}),
      ...(isForeign ? { excerpt: '' } : {}),
    };
  }

  text(text: string): string {
    if (this.isEmpty) return text;
    const exact = this.#values.get(text);
    if (exact !== undefined && !this.#isOwn(text)) return exact;
    let rest = text;
    for (const [value, name] of this.#longestFirst())
      if (value.length >= MIN_CHARS && rest.includes(value) && !this.#isOwn(value))
        rest = rest.replaceAll(value, name);
    for (const value of this.#taken)
      if (rest.includes(value) && !this.#isOwn(value)) rest = rest.replaceAll(value, HIDDEN);
    return rest
      .replace(QUOTED, (whole, inner: string) => this.#quoted(inner) ?? whole)
      .replace(NUMBER, (whole, before: string, number: string) => {
        const name = this.#numbered(number);
        return name === undefined ? whole : `${before}${name}`;
      });
  }

  /** A quote may be a part of a value, or its beginning. */
  #quoted(inner: string): string | undefined {
    const quoted = flatten(inner).replace(/…$/, '');
    if (quoted === '' || this.#isOwn(quoted)) return undefined;
    for (const [value, name] of this.#values)
      if (value === quoted || (quoted.length >= MIN_CHARS && value.includes(quoted)))
        return quote(name);
    for (const text of this.#included.values())
      if (text === quoted || (quoted.length >= MIN_CHARS && text.includes(quoted)))
        return quote(HIDDEN);
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

  /** For a value from outside: quotes nothing that the author did not write. */
  textOfTaken(text: string, known: string): string {
    return this.text(text)
      .replace(QUOTED, (whole, inner: string) =>
        REFERENCE.test(inner) || this.#isOwn(inner) || known.includes(whole)
          ? whole
          : quote(HIDDEN),
      )
      .replace(NUMBER, (_whole, before: string) => `${before}${HIDDEN}`);
  }

  #isOwn(text: string): boolean {
    return this.#own.some((own) => own.includes(text));
  }

  #longestFirst(): (readonly [value: string, name: string])[] {
    return [...this.#values].toSorted(([a], [b]) => b.length - a.length);
  }
}

const QUOTED = /`([^`]*)`/g;
const REFERENCE = /^\$\{\w+\}$/;
const NUMBER = /(the number )(-?[\d.]+(?:e[+-]?\d+)?)/g;

/** Whether its text may be shown to the person who named the file. */
export function isPartOfWorkflow(file: string): boolean {
  return isNear(file) && /\.(?:ya?ml|json)$/i.test(file);
}

/** Keeps a suggestion only if it is a sentence: a form to copy may be derived from the value. */
export function isAdvice(suggestion: string): boolean {
  return /^[A-Z][a-z]+ /.test(suggestion) && !/`[^`]*["[{:][^`]*`/.test(suggestion);
}

/** The text as JSON and YAML escape it between quotes. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Whether the path is inside the base folder. */
function isNear(file: string): boolean {
  return !/^(?:\.\.|[/\\]|[A-Za-z]:)/.test(file);
}

function flatten(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function quote(text: string): string {
  return `\`${text}\``;
}
