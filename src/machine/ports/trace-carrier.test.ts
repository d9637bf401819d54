import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  carrierInEnvironment,
  carrierInHeaders,
  carrierInMeta,
  carrierVariables,
  parseTraceparent,
  readCarrier,
  writeTraceparent,
} from './trace-carrier.ts';

const GOOD = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('a traceparent', () => {
  it.each([
    ['rubbish', 'hello'],
    ['zeros for the trace', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
    ['zeros for the span', `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`],
    ['the forbidden version', GOOD.replace('00', 'ff')],
    ['capitals', GOOD.toUpperCase()],
    ['more than version 00 has', `${GOOD}-more`],
    ['a line break', `${GOOD}\nx`],
  ])('is not %s', (_, text) => {
    expect(parseTraceparent(text)).toBeUndefined();
    expect(readCarrier((name) => (name === 'traceparent' ? text : undefined))).toBeUndefined();
  });

  it('may be of a later version, which may have more', () => {
    expect(parseTraceparent(`cc${GOOD.slice(2)}-more`)).toMatchObject({ flags: 1 });
  });

  it('is read as it is written, and anything else is refused', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parent = parseTraceparent(text);
        return parent === undefined || writeTraceparent(parent).length === 55;
      }),
    );
    const parent = parseTraceparent(GOOD);
    expect(parent === undefined ? '' : writeTraceparent(parent)).toBe(GOOD);
  });
});

describe('a carrier', () => {
  const all = { traceparent: GOOD, tracestate: 'a=1', baggage: 'user=ada' };

  it('is the same in headers, variables and `_meta`', () => {
    const variables = carrierVariables(all);
    expect(variables).toEqual({ TRACEPARENT: GOOD, TRACESTATE: 'a=1', BAGGAGE: 'user=ada' });
    expect(carrierInEnvironment(variables)).toEqual(all);
    expect(carrierInHeaders(new Headers(all))).toEqual(all);
    expect(carrierInMeta({ ...all, other: 1 })).toEqual(all);
  });

  it('has no state of a trace that cannot be read, and keeps the baggage', () => {
    expect(carrierInMeta({ ...all, traceparent: 'x' })).toEqual({ baggage: 'user=ada' });
    expect(carrierInMeta({ tracestate: 'a=1' })).toBeUndefined();
    expect(carrierInMeta('text')).toBeUndefined();
    expect(carrierInMeta({ ...all, baggage: 'x'.repeat(9000) })).toEqual({
      traceparent: GOOD,
      tracestate: 'a=1',
    });
  });
});
