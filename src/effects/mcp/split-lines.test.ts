import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLines } from './split-lines.ts';
import { isTooLong, lost, tooLong, tooLongFor } from './too-long.ts';
import { statusOf, wasNeverSent } from './unreachable.ts';

function split(chunks: readonly Buffer[], maxBytes: number): string[] {
  const found: string[] = [];
  const lines = createLines(
    {
      line: (text) => void found.push(text),
      tooLong: (head, tail) => void found.push(`too long: ${head} … ${tail}`),
    },
    maxBytes,
  );
  for (const chunk of chunks) lines.add(chunk);
  return found;
}

describe('lines of a stream', () => {
  it('are the same however the stream is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })),
        fc.array(fc.nat(200)),
        (texts, cuts) => {
          const kept = texts
            .map((text) => text.replaceAll('\n', ' '))
            .filter((text) => text.trim() !== '');
          const whole = Buffer.from(kept.map((text) => `${text}\n`).join(''));
          const edges = [
            0,
            ...cuts.map((cut) => Math.min(cut, whole.length)),
            whole.length,
          ].toSorted((a, b) => a - b);
          const chunks = edges.slice(1).map((edge, index) => whole.subarray(edges[index], edge));
          expect(split(chunks, 1000)).toEqual(kept);
        },
      ),
    );
  });

  it('that are too long are reported by their ends, and the next one is read', () => {
    const line = `{"id":7,${'x'.repeat(5000)}}`;
    for (const size of [1, 100, 6000]) {
      const whole = Buffer.from(`${line}\nnext\n`);
      const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
        whole.subarray(index * size, (index + 1) * size),
      );
      const [first = '', second] = split(chunks, 1000);
      expect(first.startsWith('too long: {"id":7,xxx')).toBe(true);
      expect(first.endsWith('xxx}')).toBe(true);
      expect(second).toBe('next');
    }
  });
});

describe('the request of a result that is too long', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":7,"result":{"content":[', '"}]}}'],
    ['{"id":7,"jsonrpc":"2.0","result":', '}}'],
    ['{"result":{"content":[{"type":"text","text":"', '"}]},"jsonrpc":"2.0","id":7}'],
    ['{"result":{"content":[{"type":"text","text":"', '"}]},"id":7,"jsonrpc":"2.0"}'],
  ])('is found at its ends: %s', (head, tail) => {
    expect(tooLongFor(head, tail)).toEqual(tooLong(7));
  });

  it('is not guessed', () => {
    expect(
      tooLongFor('{"method":"notifications/message","params":{"data":{"id":7', '"}}}'),
    ).toBeUndefined();
  });
});

describe('an error of the client', () => {
  it('gives the HTTP status, not one that a server puts into its own error', () => {
    expect(statusOf({ code: 'CLIENT_HTTP_NOT_IMPLEMENTED', data: { status: 404 } })).toBe(404);
    expect(statusOf({ code: 401, message: 'no' })).toBe(401);
    expect(
      statusOf({ code: -32_000, data: { status: 503 }, message: 'x (HTTP 503)' }),
    ).toBeUndefined();
    // a server is free to count its own errors from 1
    for (const code of [404, 429, 400, 1001])
      expect(
        statusOf({ name: 'ProtocolError', code, data: { status: 404 }, message: 'x (HTTP 404)' }),
      ).toBeUndefined();
    expect(statusOf(lost(1).error)).toBeUndefined();
    expect(isTooLong(tooLong(1).error)).toBe(true);
  });

  it('counts as never sent only where that is certain', () => {
    expect(wasNeverSent({ cause: { code: 'ECONNREFUSED' } })).toBe(true);
    expect(wasNeverSent({ cause: { code: 'CERT_HAS_EXPIRED' } })).toBe(true);
    expect(wasNeverSent({ cause: { code: 'ECONNRESET' } })).toBe(false);
    expect(wasNeverSent({ cause: { code: 'UND_ERR_SOCKET' } })).toBe(false);
    expect(wasNeverSent({ cause: { code: 'EHOSTUNREACH', syscall: 'connect' } })).toBe(true);
    expect(wasNeverSent({ cause: { code: 'EHOSTUNREACH', syscall: 'read' } })).toBe(false);
  });
});
