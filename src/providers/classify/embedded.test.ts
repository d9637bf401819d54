import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEmbedded, parseEventStream } from './embedded.ts';

describe('JSON where it should not be', () => {
  it.each([
    ['{"a": 1}', { a: 1 }],
    ['APIError: {"a": {"b": "x}"}}. Received Model Group=y', { a: { b: 'x}' } }],
    ["{'error': 'credit', 'param': None, 'ok': True}", { error: 'credit', param: null, ok: true }],
    ['before {\'body\': b\'{"message":"no"}\'} after', { body: '{"message":"no"}' }],
  ])('reads %j', (text, value) => {
    expect(parseEmbedded(text)).toEqual(value);
  });

  it.each(['', 'no object', '{ never closed', '}{', "it's {not} json"])(
    'finds none in %j',
    (text) => {
      expect(parseEmbedded(text)).toBeUndefined();
    },
  );

  it('finds any object again, whatever prose stands around it', () => {
    const prose = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', ':', '.', '-') });
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        prose,
        prose,
        (value, before, after) => {
          const json: unknown = JSON.parse(JSON.stringify(value));
          expect(parseEmbedded(`${before}${JSON.stringify(json)}${after}`)).toEqual(json);
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

  it('is not seen in other text', () => {
    expect(parseEventStream('the data: {"n":1}')).toBeUndefined();
  });
});
