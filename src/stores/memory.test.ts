import { describe, it } from 'vitest';
import { openMemoryStore } from './memory.ts';
import { storeCases } from './conformance/store-cases.ts';

describe('the memory store', () => {
  const cases = storeCases(async (now) => {
    const store = openMemoryStore({ now });
    return { open: () => Promise.resolve(store) };
  });
  for (const { name, run } of cases) it(name, run);
});
