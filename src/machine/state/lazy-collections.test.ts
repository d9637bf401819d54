import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LazyMap, LazySet } from './lazy-collections.ts';

const change = fc.record({
  type: fc.constantFrom('set', 'delete', 'clear'),
  key: fc.constantFrom('a', 'b', 'c'),
  value: fc.integer(),
});

it('holds what a map and a set hold, in the same order, whatever comes and goes', () => {
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const [lazyMap, map] = [new LazyMap<string, number>(), new Map<string, number>()];
      const [lazySet, set] = [new LazySet<string>(), new Set<string>()];
      for (const { type, key, value } of changes) {
        if (type === 'set') {
          lazyMap.set(key, value);
          map.set(key, value);
          lazySet.add(key);
          set.add(key);
        } else if (type === 'delete') {
          expect(lazyMap.delete(key)).toBe(map.delete(key));
          expect(lazySet.delete(key)).toBe(set.delete(key));
        } else for (const each of [lazyMap, map, lazySet, set]) each.clear();
        expect([...lazyMap]).toEqual([...map]);
        expect([...lazyMap.keys()]).toEqual([...map.keys()]);
        expect([...lazyMap.values()]).toEqual([...map.values()]);
        expect([...lazySet]).toEqual([...set]);
        expect([lazyMap.size, lazySet.size]).toEqual([map.size, set.size]);
        expect([lazyMap.get(key), lazyMap.has(key)]).toEqual([map.get(key), map.has(key)]);
        expect(lazySet.has(key)).toBe(set.has(key));
      }
    }),
  );
});
