import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openText, parseEventStream } from './embedded-json.ts';

describe('embedded JSON', () => {
  it.each([
    ['{"a": 1}', { a: 1 }],
    ['APIError: {"a": {"b": "x}"}}. Received Model Group=y', { a: { b: 'x}' } }],
    ["{'error': 'credit', 'param': None, 'ok': True}", { error: 'credit', param: null, ok: true }],
    ['before {\'body\': b\'{"message":"no"}\'} after', { body: '{"message":"no"}' }],
  ])('reads %j', (text, value) => {
    expect(openText(text)?.values).toEqual([value]);
  });

  it('keeps the prose between several objects, and braces with nothing in them', () => {
    expect(openText('sent {"n":1}, got [x {\n}] {"error":{"type":"y"}} back')).toEqual({
      values: [{ n: 1 }, { error: { type: 'y' } }],
      prose: 'sent  , got [x {\n}]   back',
    });
  });

  it('reads an object that was printed with its quotes escaped', () => {
    const printed = JSON.stringify(JSON.stringify({ error: { type: 'a "b"', n: 1 } }));
    expect(openText(`Error: ${printed}`)?.values).toEqual([{ error: { type: 'a "b"', n: 1 } }]);
  });

  it('finds an object within a dump that is not JSON itself', () => {
    expect(openText('failed { status: 400, body: {"code":"x"} }')?.values).toEqual([{ code: 'x' }]);
  });

  it.each(['', 'no object', 'violations {\n}', '{ never closed', '}{', "it's {not} json"])(
    'finds none in %j',
    (text) => {
      expect(openText(text)).toBeUndefined();
    },
  );

  it('finds any object again, whatever prose is around it', () => {
    const prose = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', ':', '.', '-') });
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
        prose,
        prose,
        (value, before, after) => {
          const json: unknown = JSON.parse(JSON.stringify(value));
          const opened = openText(`${before}${JSON.stringify(json)}${after}`);
          expect(opened?.values).toEqual([json]);
        },
      ),
    );
  });
});

describe('an event stream kept as text', () => {
  it('gives its events in order, without the end marker', () => {
    const text = 'event: a\ndata: {"n":1}\n\n: comment\ndata: {"n":2}\n\ndata: [DONE]\n\n';
    expect(parseEventStream(text)).toEqual({ events: [{ n: 1 }, { n: 2 }], isEnded: true });
  });

  it('is not found in other text', () => {
    expect(parseEventStream('the data: {"n":1}')).toBeUndefined();
  });
});
