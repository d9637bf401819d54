import { expect, it } from 'vitest';
import { attemptOf, metaOf } from './call-key.ts';

const TRACE = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  baggage: 'user=ada',
};

it('sends the trace of the attempt under the names that MCP gives it', () => {
  const meta = metaOf({ idempotencyKey: 'k', attempt: 2, trace: TRACE });
  expect(meta).toEqual({ 'errand/idempotency-key': 'k', 'errand/attempt': 2, ...TRACE });
  expect(attemptOf(meta)).toBe('k.2');
  expect(Object.keys(metaOf({ idempotencyKey: 'k', attempt: 0 }))).toHaveLength(2);
});
