import { describe, expect, it } from 'vitest';
import { failure } from '../../errors/thrown/errand-error.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { resultAttributes } from './call-attributes.ts';

describe('the attributes of a tool that failed', () => {
  it.each([
    ['s/add', { server: 's', tool: 'add', code: -32_602 }, '-32602'],
    ['s/add', { server: 's', tool: 'add' }, undefined],
    ['pay', { code: 42 }, undefined],
  ])('of %s with %o have the JSON-RPC code %s', (target, details, code) => {
    const error = toReport(failure('order.late', 'It is late', details));
    const effect = { key: 'k', type: 'tool', target } as const;
    const at = { run: 'r', seq: 1, at: '2026-01-01T00:00:00.000Z', node: 'a', path: 'a' };
    const end = { ...at, type: 'effect:failed', effect, error } as const;
    expect(resultAttributes(end)['rpc.response.status_code']).toBe(code);
  });
});
