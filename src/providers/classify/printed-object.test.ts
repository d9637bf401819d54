import { describe, expect, it } from 'vitest';
import { parsePrintedObject } from './printed-object.ts';

describe('objects as other languages print them', () => {
  it.each([
    [
      "{'error': {'message': 'no', 'param': None, 'ok': False}}",
      { error: { message: 'no', param: null, ok: false } },
    ],
    [
      `{'message': "Invalid 'id' of the call", 'code': '400'}`,
      { message: "Invalid 'id' of the call", code: '400' },
    ],
    [
      `{'raw': '{\\n  "error": "it isn\\'t there"\\n}'}`,
      { raw: '{\n  "error": "it isn\'t there"\n}' },
    ],
    ["{'message': 'cut short', ...}", { message: 'cut short' }],
    ["{'loc': ('body', 'input', 1)}", { loc: ['body', 'input', 1] }],
    ['{ "error" => { "code" => nil } }', { error: { code: null } }],
    [`{'body': b'{"message":"x"}'}`, { body: '{"message":"x"}' }],
  ])('reads %s', (printed, object) => {
    expect(parsePrintedObject(printed)).toEqual(object);
  });

  it.each(['{a: 1}', '{', "{'a'", 'prose', "{'a': unquoted}", `{'a': '${'x'.repeat(9000)}'}`])(
    'leaves %s alone',
    (text) => {
      expect(parsePrintedObject(text)).toBeUndefined();
    },
  );
});
