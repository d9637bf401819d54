import { afterEach, describe, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

const HOSTS = [
  ['where the platform encodes text', () => {}],
  [
    'where there are only the globals of the language',
    () => vi.stubGlobal('TextEncoder', undefined),
  ],
] as const;

const LONG = `${'x'.repeat(3000)} 错误 😀 ${'"{" '.repeat(400)}`;

describe.each(HOSTS)('the end of an object, %s', (_host, prepare) => {
  it.each([
    ['JSON', 'an error: ', '{"error":{"message":"a } and a \\" in it"}}', ' and more }'],
    ['a text in single quotes', '', `{'message': "it's gone }", 'code': 'it can\\'t }'}`, ' {}'],
    ['an apostrophe outside of strings', '', `{message: the model isn't there}`, `'}`],
    ['signs outside ASCII', '错误 ', '{"error":"超过限制 😀 é","code":1}', ' 😀}'],
    ['half a surrogate pair', '', '{"error":"\ud83d"}', '}'],
    ['more than is read at first', '', JSON.stringify({ a: LONG, b: { c: LONG } }), ` ${LONG}`],
  ])('is found for %s', async (_what, before, object, behind) => {
    prepare();
    const { balancedObject } = await import('./balanced-object.ts');
    expect(balancedObject(before + object + behind, before.length)).toBe(object);
  });

  it.each([
    ['an object that never closes', '{"error":{"message":"}"}'],
    ['a string that never closes', '{"error":"}}'],
    ['a long one that never closes', `{"error":{${'"a":{"b":"c","d":1},'.repeat(4000)}`],
    ['one that is nested too deep', '{"a":'.repeat(65) + '1' + '}'.repeat(65)],
  ])('is not found for %s', async (_what, text) => {
    prepare();
    const { balancedObject } = await import('./balanced-object.ts');
    expect(balancedObject(text, 0)).toBeUndefined();
  });
});
