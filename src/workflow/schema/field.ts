/** Fields of inputs, outputs and state: a short form of JSON Schema. */
import { FIELD_TYPES, MERGES } from '../plan/plan.ts';
import {
  choice,
  exampled,
  flag,
  json,
  later,
  list,
  map,
  number,
  strict,
  text,
  wholeNumber,
  type FromFile,
  type FromShape,
  type Schema,
} from './leaf.ts';

const COUNT = { min: 0 } as const;

const constraints = exampled(
  {
    type: choice('The type of the value.', FIELD_TYPES),
    description: text('What the value means; models see it.').optional(),
    enum: list('The values it may have.', json('One of them.'), 1).optional(),
    pattern: text('A regular expression that must match somewhere in the text.').optional(),
    minimum: number('The smallest number.', {}).optional(),
    maximum: number('The largest number.', {}).optional(),
    minLength: wholeNumber('The smallest number of characters.', COUNT).optional(),
    maxLength: wholeNumber('The largest number of characters.', COUNT).optional(),
    minItems: wholeNumber('The smallest number of items.', COUNT).optional(),
    maxItems: wholeNumber('The largest number of items.', COUNT).optional(),
    nullable: flag('Whether it may also be null. Default: false.').optional(),
  },
  {
    type: 'string',
    description: 'The label of the ticket',
    enum: ['bug', 'question'],
    pattern: '^[A-Z]+-[0-9]+$',
    minimum: 0,
    maximum: 100,
    minLength: 1,
    maxLength: 280,
    minItems: 1,
    maxItems: 10,
  },
);

/** Declared explicitly, because a recursive schema cannot be inferred. */
export interface FieldFile extends FromShape<typeof constraints> {
  required?: boolean | undefined;
  items?: FieldFile | undefined;
  properties?: Record<string, FieldFile> | undefined;
}

const fieldSchema: Schema<FieldFile> = later(() => outputField);

const outputField = strict(
  'a field',
  'One field of an output.',
  {
    ...constraints,
    required: flag('Whether it is required. Default: true.').optional(),
    items: fieldSchema.describe('The field that describes each item of an array.').optional(),
    properties: map('The fields of an object.', fieldSchema).optional(),
  },
  { items: { type: 'string' }, properties: { id: { type: 'string' } } },
).meta({ id: 'field', description: 'One field, in a short form of JSON Schema.' });

export const fieldList = map('The fields of the output, by name.', outputField);

export const inputField = strict(
  'an input',
  'One input of the workflow.',
  {
    ...constraints,
    items: fieldSchema.describe('The field that describes each item of an array.').optional(),
    properties: map('The fields of an object.', fieldSchema).optional(),
    required: flag('Whether it is required. Default: true, unless there is a default.').optional(),
    default: json('The value when none is given.').optional(),
  },
  { items: { type: 'string' }, properties: { id: { type: 'string' } }, default: 'bug' },
).meta({ id: 'input', description: 'One input of the workflow.' });

export const stateField = strict(
  'a state key',
  'A value that nodes share.',
  {
    type: choice('The type of the value.', FIELD_TYPES),
    default: json('The initial value. Default: the empty value of the type.').optional(),
    merge: choice(
      'How a write is merged with the current value: replace, append (joins lists), union, sum. Default: replace.',
      MERGES,
    ).optional(),
    description: text('What it is for.').optional(),
  },
  { type: 'array', default: [], merge: 'append', description: 'Labels found so far' },
);

export type InputFile = FromFile<typeof inputField>;
export type StateFile = FromFile<typeof stateField>;
