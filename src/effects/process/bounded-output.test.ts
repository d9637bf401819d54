import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../errors/redaction/redact.ts';
import { boundOutput, type Keep } from './bounded-output.ts';

const same = (text: string): string => text;

function collect(
  chunks: readonly Uint8Array[],
  maxBytes: number,
  keep: Keep,
): ReturnType<typeof boundOutput> {
  const output = boundOutput(maxBytes, keep);
  for (const chunk of chunks) output.add(Buffer.from(chunk));
  return output;
}

describe('bounded output', () => {
  const chunked = fc.array(fc.uint8Array({ maxLength: 700 }), { maxLength: 40 });

  it('is everything up to its bound, and its right end beyond it, however it came', () => {
    fc.assert(
      fc.property(
        chunked,
        fc.integer({ min: 1, max: 5000 }),
        fc.constantFrom<Keep>('head', 'tail'),
        (chunks, max, keep) => {
          const ascii = chunks.map((chunk) => chunk.map((byte) => 97 + (byte % 26)));
          const all = Buffer.concat(ascii).toString();
          const output = collect(ascii, max, keep);
          const { text, cutBytes, isLossy } = output.text(same);
          expect(isLossy).toBe(false);
          expect(text.length + cutBytes).toBe(all.length);
          expect(text).toBe(keep === 'head' ? all.slice(0, max) : all.slice(-max));
          expect(output.whole()?.toString()).toBe(all.length <= max ? all : undefined);
        },
      ),
    );
  });

  it('is well-formed text for any bytes, and says when it is not what was written', () => {
    fc.assert(
      fc.property(chunked, fc.constantFrom<Keep>('head', 'tail'), (chunks, keep) => {
        const all = Buffer.concat(chunks);
        const { text, isLossy } = collect(chunks, 1_000_000, keep).text(same);
        expect(text.isWellFormed()).toBe(true);
        expect(isLossy).toBe(!Buffer.from(text).equals(all));
      }),
    );
  });

  it('is not called lossy for a character that the cut divides', () => {
    for (let max = 2000; max < 2006; max++) {
      for (const keep of ['head', 'tail'] as const) {
        const { text, isLossy } = collect([Buffer.from('→😀'.repeat(2000))], max, keep).text(same);
        expect(isLossy).toBe(false);
        expect(text.isWellFormed()).toBe(true);
      }
    }
  });

  it('never shows a part of a secret at its cut', () => {
    const secret = 'S3CRET-abcdefghijklmnopqrstuvwxyz';
    const redactor = createRedactor([secret]);
    const line = Buffer.from(`${'x'.repeat(900)}${secret}${'y'.repeat(900)}${secret}`);
    for (let max = 850; max < 1900; max += 7) {
      for (const keep of ['head', 'tail'] as const) {
        const { text } = collect([line, line, line], max, keep).text((all) => redactor.values(all));
        expect(text).not.toMatch(/S3CRET|abcdef|vwxyz/);
      }
    }
  });

  it('keeps no more than it needs', () => {
    const output = boundOutput(1000, 'tail');
    for (let index = 0; index < 100_000; index++) output.add(Buffer.alloc(1000, 97));
    expect(output.text(same)).toMatchObject({ cutBytes: 100_000_000 - 1000 });
  });
});
