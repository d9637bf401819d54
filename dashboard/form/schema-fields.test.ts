import { describe, expect, it } from 'vitest';
import { fieldAt, fieldsOf, readForm, readJson } from './schema-fields.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    ticket: { type: 'string', description: 'What the customer wrote' },
    order: { type: 'string', default: 'A-1' },
    pages: { type: 'integer', default: 2, minimum: 1 },
    tone: { type: 'string', enum: ['plain', 'formal'], default: 'plain' },
    send: { type: 'boolean', default: true },
    quiet: { type: 'boolean' },
    tags: { type: 'array', default: ['a'] },
    meta: { type: 'object' },
  },
  required: ['ticket'],
};

const FIELDS = fieldsOf(SCHEMA) ?? [];

describe('fields of a schema', () => {
  it('are of the type that holds the value, with defaults filled in', () => {
    expect(FIELDS.map(({ name, type, initial }) => [name, type, initial])).toEqual([
      ['ticket', 'text', ''],
      ['order', 'text', 'A-1'],
      ['pages', 'number', '2'],
      ['tone', 'choice', 'plain'],
      ['send', 'check', true],
      ['quiet', 'check', false],
      ['tags', 'json', '[\n  "a"\n]'],
      ['meta', 'json', ''],
    ]);
    expect(FIELDS[0]).toMatchObject({ isRequired: true, description: 'What the customer wrote' });
    expect(FIELDS[2]).toMatchObject({ isInteger: true, min: 1 });
  });

  it('choose nothing for a person, unless there is one value only', () => {
    const fields = fieldsOf({
      type: 'object',
      properties: { label: { enum: ['refund', 'other'] }, version: { const: 1 } },
      required: ['label', 'version'],
    });
    expect(fields?.map(({ name, initial }) => [name, initial])).toEqual([
      ['label', ''],
      ['version', '1'],
    ]);
    expect(readForm(fields ?? [], {})).toEqual({ ok: true, value: { version: 1 } });
  });

  it('are none for a schema of anything but an object', () => {
    expect(fieldsOf({ type: 'array' })).toBeUndefined();
    expect(fieldsOf(undefined)).toBeUndefined();
  });
});

describe('what was typed', () => {
  it('is read as JSON values; an empty field is left out', () => {
    expect(readForm(FIELDS, {})).toEqual({
      ok: true,
      value: { order: 'A-1', pages: 2, tone: 'plain', send: true, tags: ['a'] },
    });
    const typed = {
      ticket: 'hi',
      order: '',
      pages: '3.5',
      tone: 'formal',
      send: false,
      meta: '{"a":[1]}',
    };
    expect(readForm(FIELDS, typed)).toEqual({
      ok: true,
      value: {
        ticket: 'hi',
        order: '',
        pages: 3.5,
        tone: 'formal',
        send: false,
        tags: ['a'],
        meta: { a: [1] },
      },
    });
  });

  it('is refused at the field that cannot be read', () => {
    const read = readForm(FIELDS, { tags: '[1,', pages: 'many' });
    expect(read.ok).toBe(false);
    expect(read.ok ? [] : Object.keys(read.errors)).toEqual(['pages', 'tags']);
    expect(readJson('nope').error).toContain('not JSON');
    expect(readJson('null')).toEqual({ value: null });
  });

  it('keeps the type of a choice', () => {
    const fields =
      fieldsOf({ type: 'object', properties: { n: { enum: [1, 'two', null] } } }) ?? [];
    expect(readForm(fields, { n: '1' })).toEqual({ ok: true, value: { n: 1 } });
    expect(readForm(fields, { n: 'null' })).toEqual({ ok: true, value: { n: null } });
    expect(readForm(fields, { n: '' })).toEqual({ ok: true, value: {} });
  });
});

it('finds the field that a pointer of the request leads to', () => {
  expect(fieldAt('/input/a~1b/0', '/input/')).toBe('a/b');
  expect(fieldAt('/workflow', '/input/')).toBeUndefined();
  expect(fieldAt(undefined, '/input/')).toBeUndefined();
});
