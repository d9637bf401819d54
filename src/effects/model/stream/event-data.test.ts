import { describe, expect, it } from 'vitest';
import { EventData } from './event-data.ts';

const ENCODER = new TextEncoder();

function dataIn(...pieces: readonly (string | Uint8Array)[]): string[] {
  const events = new EventData();
  return pieces.flatMap((piece) =>
    events.endedIn(typeof piece === 'string' ? ENCODER.encode(piece) : piece),
  );
}

describe('the data of events', () => {
  it.each([
    ['ends with an empty line', 'data: a\n\ndata:b\n\n', ['a', 'b']],
    ['may have several lines', 'data: a\ndata\ndata:  b\n\n', ['a\n\n b']],
    ['has no names, ids and comments', ': c\nevent: e\nid: 1\ndata: a\n\n', ['a']],
    ['has every kind of line end', 'data: a\r\n\r\ndata: b\r\rdata: c\n\n', ['a', 'b', 'c']],
    ['has no mark of its byte order', '\ufeffdata: a\n\n', ['a']],
    ['needs its end', 'data: a\n\ndata: b\n', ['a']],
    ['may stand by itself', 'data: a\n\n{"b":1}\ndata: c\n\n', ['a', '{"b":1}', 'c']],
    ['may stand by itself in lines', '{\n"b":\n1}\n\ndata: c\n\n', ['{\n"b":\n1}', 'c']],
    ['is in no other line', 'hello\n{"a"}\nid\n\nx: {}\n\n', ['{"a"}']],
    ['is not made from nothing', '\n\nevent: ping\n\n', []],
  ])('%s', (_, text, data) => {
    expect(dataIn(text)).toEqual(data);
  });

  it('is the same wherever the pieces end', () => {
    const bytes = ENCODER.encode('data: ä\r\ndata: b\r\n\r\ndata: c\r\rdata: d\n\n');
    const whole = dataIn(bytes);
    expect(whole).toEqual(['ä\nb', 'c', 'd']);
    for (let at = 0; at <= bytes.length; at++)
      expect(dataIn(bytes.subarray(0, at), bytes.subarray(at))).toEqual(whole);
    expect(dataIn(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole);
  });
});
