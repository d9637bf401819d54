import { array, assert, integer, nat, property, tuple } from 'fast-check';
import { expect, it } from 'vitest';
import { List } from './shared-list.ts';

const SIZE = integer({ min: 0, max: 1200 });

it('is like an array that is copied with each change, at any length', () => {
  assert(
    property(SIZE, array(tuple(nat(1300), nat()), { maxLength: 20 }), (size, changes) => {
      const start = Array.from({ length: size }, (_, at) => at);
      let list = List.of(start);
      let same = start;
      for (const [at, value] of changes) {
        const before = list;
        const was = same;
        const isNew = at >= same.length;
        const isCut = value % 5 === 0;
        list = isNew ? list.add(value) : list.with(at, value);
        same = isNew ? [...same, value] : same.with(at, value);
        if (isCut) list = list.withoutLast();
        if (isCut) same = same.slice(0, -1);
        expect([...before]).toEqual(was);
      }
      expect([...list]).toEqual(same);
      expect([list.length, list.at(-1), list.at(7)]).toEqual([same.length, same.at(-1), same[7]]);
      expect(list.at(same.length)).toBeUndefined();
      expect(list.slice(3, 90)).toEqual(same.slice(3, 90));
      expect(JSON.parse(JSON.stringify(list))).toEqual(same);
    }),
  );
});

it('grows one by one across every width of its tree', () => {
  let list = List.of<number>([]);
  for (let at = 0; at < 33_000; at++) list = list.add(at);
  expect(list.map((item, at) => item === at).every(Boolean)).toBe(true);
  expect(list).toHaveLength(33_000);
});
