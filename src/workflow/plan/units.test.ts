import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DELAY_PATTERN,
  DURATION_PATTERN,
  meantDuration,
  parseDuration,
  secondsToMs,
} from './duration.ts';
import { canonicalJson, hashText, hashValue } from './stable-hash.ts';
import { usdToMicros } from './micro-dollars.ts';
import { fromPointer, toPointer, valueAt } from './pointer.ts';
import { runs } from '../../../test/runs.ts';

describe('a duration', () => {
  it.each([
    ['500ms', 500],
    ['60s', 60_000],
    ['2.5m', 150_000],
    ['1h', 3_600_000],
    ['2d', 172_800_000],
    ['0s', 0],
    ['1.1s', 1100],
    ['0.0001s', 1],
    [3, 3000],
    [0.25, 250],
    ['366d', 31_622_400_000],
    [31_622_400, 31_622_400_000],
  ])('%s is %i ms', (written, ms) => expect(parseDuration(written)).toBe(ms));

  it.each(['', 's', '5', '5 s', '-1s', '1e3s', '5S', '5min', '1m30s', '٣s', '9'.repeat(20) + 's'])(
    '%j is none',
    (written) => expect(parseDuration(written)).toBeUndefined(),
  );

  it.each(['367d', '8785h', '999999999d', '999999999s', 31_622_401, 8.64e13, Infinity, -1, NaN])(
    '%s is longer than any may be, or none',
    (written) => expect(parseDuration(written)).toBeUndefined(),
  );

  it('has one pattern and one parser that agree', () => {
    const amount = fc.oneof(
      fc.nat(),
      fc.constantFrom(365, 366, 367, 8784, 8785, 527_040, 31_622_400),
    );
    const fraction = fc.constantFrom('', '.0', '.000001', '.5');
    const written = fc
      .tuple(
        fc.constantFrom('', '0', '00'),
        amount,
        fraction,
        fc.constantFrom('ms', 's', 'm', 'h', 'd'),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(written, (text) => {
        const ms = parseDuration(text);
        expect(new RegExp(DELAY_PATTERN).test(text)).toBe(ms !== undefined);
        expect(new RegExp(DURATION_PATTERN).test(text)).toBe(ms !== undefined && ms > 0);
      }),
      { numRuns: runs(2000) },
    );
  });

  it.each([
    ['24 hours', '24h'],
    ['5 Min', '5m'],
    ['1.5 seconds', '1.5s'],
    ['2days', '2d'],
    ['250 milliseconds', '250ms'],
    ['0 hours', undefined],
    ['soon', undefined],
    ['5 fortnights', undefined],
    ['12', undefined],
  ])('%j is probably meant as %s', (written, meant) => {
    expect(meantDuration(written)).toBe(meant);
  });

  it('is always valid when it is suggested', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^\d{0,3}\.?\d{0,3} ?(m|min|mins|h|hrs|days|ms|s|secs|xs)$/),
        (written) => {
          const meant = meantDuration(written);
          return meant === undefined || (parseDuration(meant) ?? 0) > 0;
        },
      ),
    );
  });

  it('never becomes shorter', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        (s) => secondsToMs(s) >= s * 1000 - 1e-3,
      ),
    );
  });
});

describe('money', () => {
  it.each([
    [0, 0],
    [0.5, 500_000],
    [0.000001, 1],
    [0.0000001, 1],
    [1.1, 1_100_000],
    [0.29, 290_000],
  ])('%d dollars are %i micro-dollars', (usd, micros) => expect(usdToMicros(usd)).toBe(micros));
});

describe('a hash', () => {
  it('never changes', () => {
    expect([hashText(''), hashText('a'), hashText('errand')]).toMatchInlineSnapshot(`
      [
        "1e924b9d737700d7",
        "96c20860cd93a249",
        "ced20aa0e739b152",
      ]
    `);
  });

  it('ignores the order of keys and nothing else', () => {
    expect(hashValue({ a: 1, b: [{ c: 2, d: 3 }] })).toBe(hashValue({ b: [{ d: 3, c: 2 }], a: 1 }));
    expect(hashValue({ a: 1, b: undefined })).toBe(hashValue({ a: 1 }));
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const areEqual = canonicalJson(a) === canonicalJson(b);
        return (hashValue(a) === hashValue(b)) === areEqual;
      }),
    );
  });

  it('differs for each of a hundred thousand texts', () => {
    const seen = new Set<string>();
    for (let n = 0; n < 100_000; n++) seen.add(hashText(`node ${n}`));
    expect(seen.size).toBe(100_000);
  });

  it('differs for each key, of which the first 16 bytes count', () => {
    const keys = ['', 'r', 'rr', 'run-0123456789ab', 'run-0123456789ac'];
    expect(new Set(keys.map((key) => hashText('pay', key))).size).toBe(keys.length);
    expect(hashText('pay', 'run-0123456789ab and more')).toBe(hashText('pay', 'run-0123456789ab'));
  });

  it('differs for halves of a surrogate pair, which have no bytes of their own', () => {
    const values = ['\ud800', '\ud801', 'x\udc00', '\ufffd'];
    expect(new Set(values.map((value) => hashValue(value))).size).toBe(values.length);
  });

  it('hashes canonical JSON that parses as JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('a pointer', () => {
  it('leads back to its path', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (path) => {
        expect(fromPointer(toPointer(path))).toEqual(path);
      }),
    );
  });

  it('finds own properties only', () => {
    expect(valueAt({ a: [{ 'b/c': 1 }] }, fromPointer('/a/0/b~1c'))).toBe(1);
    expect(valueAt({}, ['constructor'])).toBeUndefined();
    expect(valueAt({ a: 1 }, ['a', 'b'])).toBeUndefined();
  });
});
