/**
 * Checks a JSON value against a schema and copies it, with the keys of a map in the order of its
 * schema. One reading finds every issue. A test compares the issues and the copy with zod's for the
 * same schema.
 */
import type { Form, Schema, Shape } from './schema.ts';

/** The first two of an issue decide how `issues.ts` words it. */
export interface Issue {
  readonly code:
    | 'invalid_type'
    | 'invalid_value'
    | 'invalid_format'
    | 'out_of_range'
    | 'unrecognized_keys'
    | 'invalid_key'
    | 'invalid_union';
  /** The expected form; for unknown keys, the noun of their map. */
  readonly message: string;
  readonly path: readonly (string | number)[];
  readonly keys?: readonly string[];
  readonly values?: readonly unknown[];
  /** The issues of each alternative. */
  readonly errors?: readonly (readonly Issue[])[];
  readonly discriminator?: string;
  /** Whether the value has the right type all the same: among alternatives, it was probably meant. */
  readonly isNear?: boolean;
}

export type ReadValue<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

type Found = Issue[];

/** The issue of a missing key that may have any value. */
const ANY_VALUE = 'Invalid input: expected nonoptional, received undefined';
const MAP = 'a map';

export function readValue<T>(schema: Schema<T>, value: unknown): ReadValue<T> {
  const found: Found = [];
  const read = readForm(schema.form, value, found);
  // true: every form of a schema gives a value of its type, or an issue
  return found.length === 0 ? { ok: true, value: read as T } : { ok: false, issues: found };
}

function readForm(form: Form, value: unknown, found: Found): unknown {
  switch (form.is) {
    case 'text':
      checkText(form, value, found);
      return value;
    case 'number':
      checkNumber(form, value, found);
      return value;
    case 'flag':
      if (typeof value !== 'boolean') report(found, 'invalid_type', form.expected);
      return value;
    case 'literal':
      if (value !== form.value) reportValue(found, form.expected, [form.value]);
      return value;
    case 'choice':
      if (!form.values.some((each) => each === value))
        reportValue(found, form.expected, form.values);
      return value;
    case 'list':
      return readList(form, value, found);
    case 'map':
      return readMap(form, value, found);
    case 'anything':
      return value;
    case 'either':
      return readEither(form, value, found);
    case 'strict':
      return readStrict(form, value, found);
    case 'by-key':
      return readByKey(form, value, found);
    case 'later':
      return readForm(form.schema().form, value, found);
    case 'optional':
      return value === undefined ? value : readForm(form.schema.form, value, found);
    case 'nullable':
      return value === null ? value : readForm(form.schema.form, value, found);
  }
}

type FormOf<Is extends Form['is']> = Extract<Form, { is: Is }>;

function checkText(
  { expected, pattern, isFilled = false }: FormOf<'text'>,
  value: unknown,
  found: Found,
): void {
  if (typeof value !== 'string') return report(found, 'invalid_type', expected);
  if (isFilled && value === '') reportNear(found, 'out_of_range', expected);
  if (pattern?.test(value) === false) reportNear(found, 'invalid_format', expected);
}

function checkNumber(
  { expected, range: { min, max, above }, isWhole }: FormOf<'number'>,
  value: unknown,
  found: Found,
): void {
  if (typeof value !== 'number' || !Number.isFinite(value))
    return report(found, 'invalid_type', expected);
  if (isWhole && !Number.isInteger(value)) return report(found, 'invalid_type', expected);
  const isOut = [
    isWhole && !Number.isSafeInteger(value),
    min !== undefined && value < min,
    above !== undefined && value <= above,
    max !== undefined && value > max,
  ];
  for (const is of isOut) if (is) reportNear(found, 'out_of_range', expected);
}

function readList({ expected, item, min }: FormOf<'list'>, value: unknown, found: Found): unknown {
  if (!Array.isArray(value)) {
    report(found, 'invalid_type', expected);
    return value;
  }
  const copy = value.map((each: unknown, index) => readInside(item.form, each, index, found));
  if (value.length < min) reportNear(found, 'out_of_range', expected);
  return copy;
}

function readMap(form: FormOf<'map'>, value: unknown, found: Found): unknown {
  if (!isMap(value)) {
    report(found, 'invalid_type', form.expected);
    return value;
  }
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    // it would replace the prototype of the copy
    if (key === '__proto__') continue;
    if (form.key?.test(key) === false)
      found.push({ code: 'invalid_key', message: '', path: [key] });
    else copy[key] = readInside(form.value.form, value[key], key, found);
  }
  return copy;
}

/**
 * The first alternative that fits; else the one that was probably meant; else an issue with all of
 * them.
 */
function readEither(
  { expected, options }: FormOf<'either'>,
  value: unknown,
  found: Found,
): unknown {
  const errors: Found[] = [];
  for (const { form } of options) {
    const issues: Found = [];
    const read = readForm(form, value, issues);
    if (issues.length === 0) return read;
    errors.push(issues);
  }
  const near = errors.filter((issues) => issues.every(({ isNear }) => isNear === true));
  const [meant] = near;
  if (meant !== undefined && near.length === 1) found.push(...meant);
  else found.push({ code: 'invalid_union', message: expected, path: [], errors });
  return value;
}

function readStrict({ noun, shape }: FormOf<'strict'>, value: unknown, found: Found): unknown {
  if (!isMap(value)) {
    report(found, 'invalid_type', MAP);
    return value;
  }
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(shape)) readKey(shape, key, value, { copy, found });
  const keys = Object.keys(value).filter((key) => !Object.hasOwn(shape, key));
  if (keys.length > 0)
    found.push({ code: 'unrecognized_keys', message: noun, path: [], keys, isNear: true });
  return copy;
}

function readKey(
  shape: Shape,
  key: string,
  owner: Readonly<Record<string, unknown>>,
  { copy, found }: { readonly copy: Record<string, unknown>; readonly found: Found },
): void {
  const form = shape[key]?.form;
  if (form === undefined) return;
  const isThere = Object.hasOwn(owner, key);
  if (!isThere && form.is === 'optional') return;
  const before = found.length;
  const read = readInside(form, isThere ? owner[key] : undefined, key, found);
  if (isThere) copy[key] = read;
  else if (found.length === before)
    found.push({ code: 'invalid_type', message: ANY_VALUE, path: [key] });
}

function readByKey(
  { expected, key, options }: FormOf<'by-key'>,
  value: unknown,
  found: Found,
): unknown {
  if (!isMap(value)) {
    report(found, 'invalid_type', expected);
    return value;
  }
  const option = options.find(({ form }) => hasValue(form, key, value[key]));
  if (option !== undefined) return readForm(option.form, value, found);
  found.push({
    code: 'invalid_union',
    message: expected,
    path: [key],
    errors: [],
    discriminator: key,
  });
  return value;
}

function hasValue(form: Form, key: string, value: unknown): boolean {
  const own = form.is === 'strict' ? form.shape[key]?.form : undefined;
  if (own?.is === 'literal') return own.value === value;
  return (
    own?.is === 'optional' &&
    own.schema.form.is === 'literal' &&
    (value === undefined || own.schema.form.value === value)
  );
}

/** Reads a part of a value; its issues have the step to it in their path. */
function readInside(form: Form, value: unknown, step: string | number, found: Found): unknown {
  const before = found.length;
  const read = readForm(form, value, found);
  for (let at = before; at < found.length; at++) {
    const issue = found[at];
    if (issue !== undefined) found[at] = { ...issue, path: [step, ...issue.path] };
  }
  return read;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function report(found: Found, code: Issue['code'], message: string): void {
  found.push({ code, message, path: [] });
}

function reportNear(found: Found, code: Issue['code'], message: string): void {
  found.push({ code, message, path: [], isNear: true });
}

function reportValue(found: Found, message: string, values: readonly unknown[]): void {
  found.push({ code: 'invalid_value', message, path: [], values });
}
