import { expect, it } from 'vitest';
import { protobufFields } from './protobuf-text.ts';

it('reads the fields and durations of a printed message', () => {
  const text =
    '429 No [violations {\n  quota_id: "PerDay"\n  quota_value: 0\n}\n, retry_delay {\n  seconds: 33\n  nanos: 500000000\n}\n]';
  expect(protobufFields(text)).toEqual([
    ['retry_delay', '33.5s'],
    ['quota_id', 'PerDay'],
    ['quota_value', '0'],
    ['seconds', '33'],
    ['nanos', '500000000'],
  ]);
});

it('finds nothing in empty braces or in prose', () => {
  expect(protobufFields('violations {\n}\n, links { }')).toEqual([]);
  expect(protobufFields('Please set {temperature} to a lower value: it is too high')).toEqual([]);
});
