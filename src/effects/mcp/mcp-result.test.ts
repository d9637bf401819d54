import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { contextFor, reportOf } from '../effect-port.cases.ts';
import type { EffectResult } from '../effect-port.ts';
import { toResult } from './mcp-result.ts';

const result = (declared: JsonObject, structuredContent: object): EffectResult =>
  toResult(
    { structuredContent },
    { tool: 's/t', keepsTruncated: false, isIdempotent: false, declared },
    contextFor(),
  );

describe('the schema that a server declares for a result', () => {
  it('is enforced, and its pattern cannot block the process', () => {
    const declared = { properties: { name: { pattern: '^([a-z]+)+$' } } };
    expect(reportOf(result(declared, { name: `${'a'.repeat(60)}!` }))).toMatchObject({
      kind: 'tool.output_malformed',
      message: expect.stringContaining('/name must match the pattern'),
    });
    expect(result(declared, { name: 'a'.repeat(60) })).toMatchObject({ ok: true });
  });

  it.each<[string, JsonObject]>([
    ['refers back', { properties: { name: { pattern: '(a)\\1' } } }],
    [
      'multiplies',
      {
        $ref: '#/$defs/d30',
        $defs: Object.fromEntries(
          Array.from({ length: 31 }, (_, level) => {
            const below = { $ref: `#/$defs/d${level - 1}` };
            return [`d${level}`, level === 0 ? {} : { allOf: [below, below, below] }];
          }),
        ),
      },
    ],
  ])('that %s is ignored, with a warning', (_, declared) => {
    expect(result(declared, { name: 'x' })).toMatchObject({
      ok: true,
      output: { name: 'x' },
      suppressed: [{ failure: { message: expect.stringContaining('cannot be used') } }],
    });
  });
});
