/**
 * Schemas of our files as plain data. Hundreds of them are made before a file is read, so each
 * costs only an object. `read-value.ts` checks a value against them; `to-zod.ts` converts them to
 * make JSON Schema.
 */

/** Texts that editors show for a field; `markdownDescription` and snippets are extensions of VS Code. */
export interface Hints {
  readonly id?: string;
  readonly description?: string;
  readonly markdownDescription?: string;
  readonly defaultSnippets?: readonly object[];
  readonly examples?: readonly unknown[];
  readonly [key: string]: unknown;
}

export interface Range {
  readonly min?: number;
  readonly max?: number;
  /** The minimum itself is not allowed. */
  readonly above?: number;
}

export type Shape = Readonly<Record<string, Schema>>;

/** `expected` is the form that a value must have, in words. */
export type Form =
  | {
      readonly is: 'text';
      readonly expected: string;
      readonly pattern?: RegExp;
      /** Whether it may not be empty. */
      readonly isFilled?: boolean;
    }
  | {
      readonly is: 'number';
      readonly expected: string;
      readonly range: Range;
      readonly isWhole: boolean;
    }
  | { readonly is: 'flag'; readonly expected: string }
  | { readonly is: 'literal'; readonly expected: string; readonly value: string | boolean }
  | {
      readonly is: 'choice';
      readonly expected: string;
      readonly values: readonly [string, ...string[]];
    }
  | {
      readonly is: 'list';
      readonly expected: string;
      readonly item: Schema;
      readonly min: number;
    }
  | {
      readonly is: 'map';
      readonly expected: string;
      readonly value: Schema;
      /** The pattern of its keys. */
      readonly key?: RegExp;
    }
  | { readonly is: 'anything' }
  | { readonly is: 'either'; readonly expected: string; readonly options: readonly Schema[] }
  | { readonly is: 'strict'; readonly noun: string; readonly shape: Shape }
  | {
      readonly is: 'by-key';
      readonly expected: string;
      /** Its value in each option is the option's own. */
      readonly key: string;
      readonly options: readonly Schema[];
    }
  | { readonly is: 'later'; readonly schema: () => Schema }
  | { readonly is: 'optional'; readonly schema: Schema }
  | { readonly is: 'nullable'; readonly schema: Schema };

export class Schema<T = unknown> {
  /** For the compiler only. */
  declare readonly value: T;
  readonly form: Form;
  /** The schema that this one describes anew. */
  readonly origin: Schema | undefined;
  #hints: Hints;

  constructor(form: Form, hints: Hints = {}, origin?: Schema) {
    this.form = form;
    this.origin = origin;
    this.#hints = hints;
  }

  /** Its own hints, without those of its origin. */
  get ownHints(): Hints {
    return this.#hints;
  }

  get hints(): Hints {
    const { id: _id, ...inherited } = this.origin?.hints ?? {};
    return { ...inherited, ...this.#hints };
  }

  /** For a schema that nothing else uses. */
  addExample(example: unknown): void {
    this.#hints = { ...this.hints, examples: [example] };
  }

  describe(description: string): Schema<T> {
    return this.meta({ description });
  }

  /** The same schema with other hints, added to its own. */
  meta(hints: Hints): Schema<T> {
    return new Schema(this.form, hints, this);
  }

  optional(): OptionalSchema<T> {
    return new OptionalSchema({ is: 'optional', schema: this });
  }

  nullable(): Schema<T | null> {
    return new Schema({ is: 'nullable', schema: this });
  }
}

/** A key with such a schema may be left out. */
export class OptionalSchema<T = unknown> extends Schema<T | undefined> {
  /** For the compiler only. */
  declare readonly mayBeLeftOut: true;
}

export type FromFile<S extends Schema> = S['value'];

type OptionalKeys<S extends Shape> = {
  [K in keyof S]: S[K] extends OptionalSchema ? K : never;
}[keyof S];

export type FromShape<S extends Shape> = {
  -readonly [K in Exclude<keyof S, OptionalKeys<S>>]: S[K]['value'];
} & { -readonly [K in OptionalKeys<S>]?: S[K]['value'] } extends infer Both
  ? { [K in keyof Both]: Both[K] }
  : never;
