/**
 * Converts one of our schemas to one of zod, which writes JSON Schema. Reading a file does not need
 * it.
 */
import { z } from 'zod';
import type { Form, Schema } from './schema.ts';

/** Each schema once, because zod recognises repeated ones by identity. */
const MADE = new WeakMap<Schema, z.ZodType>();

/** In the draft that editors read. */
export function fileToJson(schema: Schema): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(toZod(schema), { target: 'draft-7', io: 'input' });
}

export function toZod(schema: Schema): z.ZodType {
  const known = MADE.get(schema);
  if (known !== undefined) return known;
  const made = make(schema);
  MADE.set(schema, made);
  return made;
}

function make({ form, origin, ownHints }: Schema): z.ZodType {
  if (origin !== undefined) return toZod(origin).meta(ownHints);
  const made = fromForm(form);
  z.globalRegistry.add(made, ownHints);
  return made;
}

function fromForm(form: Form): z.ZodType {
  switch (form.is) {
    case 'text':
      return textOf(form);
    case 'number':
      return numberOf(form);
    case 'flag':
      return z.boolean();
    case 'literal':
      return z.literal(form.value);
    case 'choice':
      return z.enum(form.values);
    case 'list':
      return z.array(toZod(form.item)).min(form.min);
    case 'map':
      return z.record(
        form.key === undefined ? z.string() : z.string().regex(form.key),
        toZod(form.value),
      );
    case 'anything':
      return z.unknown();
    case 'either':
      return z.union(form.options.map(toZod));
    case 'strict':
      return z.strictObject(
        Object.fromEntries(Object.entries(form.shape).map(([key, each]) => [key, toZod(each)])),
      );
    case 'by-key':
      return byKey(form);
    case 'later':
      return z.lazy(() => toZod(form.schema()));
    case 'optional':
      return toZod(form.schema).optional();
    case 'nullable':
      return toZod(form.schema).nullable();
  }
}

function textOf({ isFilled = false, pattern }: Extract<Form, { is: 'text' }>): z.ZodString {
  const filled = isFilled ? z.string().min(1) : z.string();
  return pattern === undefined ? filled : filled.regex(pattern);
}

function numberOf({
  isWhole,
  range: { min, max, above },
}: Extract<Form, { is: 'number' }>): z.ZodNumber {
  let made: z.ZodNumber = isWhole ? z.int() : z.number();
  if (min !== undefined) made = made.min(min);
  if (above !== undefined) made = made.gt(above);
  if (max !== undefined) made = made.max(max);
  return made;
}

function byKey({ key, options }: Extract<Form, { is: 'by-key' }>): z.ZodType {
  const [first, ...others] = options.map(toZod);
  // true: every option is a strict map with that key, and there is at least one
  type Options = Parameters<typeof z.discriminatedUnion>[1];
  return z.discriminatedUnion(key, [first, ...others] as unknown as Options);
}
