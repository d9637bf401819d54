/** The fields of inputs, outputs and state: a short form of JSON Schema. */
import { z } from 'zod';
import { FIELD_TYPES, MERGES } from '../model.ts';
import {
  choice,
  flag,
  json,
  list,
  map,
  number,
  strict,
  text,
  wholeNumber,
  type FromFile,
  type FromShape,
} from './leaf.ts';

const COUNT = { min: 0 } as const;

const constraints = {
  type: choice('What the value is.', FIELD_TYPES),
  description: text('What the value means; models are told.').optional(),
  enum: list('The values it may have.', json('One of them.'), 1).optional(),
  pattern: text('A regular expression that is found in the text.').optional(),
  minimum: number('The least number.', {}).optional(),
  maximum: number('The greatest number.', {}).optional(),
  minLength: wholeNumber('The least number of characters.', COUNT).optional(),
  maxLength: wholeNumber('The greatest number of characters.', COUNT).optional(),
  minItems: wholeNumber('The least number of items.', COUNT).optional(),
  maxItems: wholeNumber('The greatest number of items.', COUNT).optional(),
  nullable: flag('Whether it may also be null.').optional(),
};

/** Written out, because a schema that contains itself cannot be inferred. */
export interface FieldFile extends FromShape<typeof constraints> {
  required?: boolean | undefined;
  items?: FieldFile | undefined;
  properties?: Record<string, FieldFile> | undefined;
}

const fieldSchema: z.ZodType<FieldFile> = z.lazy(() => outputField);

const outputField = strict('a field', 'One field of an output.', {
  ...constraints,
  required: flag('Whether it must be there. Default: true.').optional(),
  items: fieldSchema.describe('What each item of an array is.').optional(),
  properties: map('The fields of an object.', fieldSchema).optional(),
}).meta({ id: 'field', description: 'One field, in a short form of JSON Schema.' });

export const fieldList = map('The fields of the output, by name.', outputField);

export const inputField = strict('an input', 'One input of the workflow.', {
  ...constraints,
  items: fieldSchema.describe('What each item of an array is.').optional(),
  properties: map('The fields of an object.', fieldSchema).optional(),
  required: flag('Whether it must be given. Default: true, unless there is a default.').optional(),
  default: json('Taken when nothing is given.').optional(),
}).meta({ id: 'input', description: 'One input of the workflow.' });

export const stateField = strict('a state key', 'A value that nodes share.', {
  type: choice('What the value is.', FIELD_TYPES),
  default: json('The first value. Default: the empty value of the type.').optional(),
  merge: choice(
    'How a write is joined with what is there: replace, append (joins lists), union, sum. Default: replace.',
    MERGES,
  ).optional(),
  description: text('What it is for.').optional(),
});

export type InputFile = FromFile<typeof inputField>;
export type StateFile = FromFile<typeof stateField>;
