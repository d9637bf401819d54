import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { addressOf, pathOf, type Address } from './address.ts';
import { runs } from '../../test/runs.ts';
import { anyCharacter } from '../../test/any-character.ts';

describe('addresses of pages', () => {
  it.each<[string, string, Address]>([
    ['/', '', { page: 'runs', filters: {} }],
    [
      '/',
      '?attention=failed&kind=provider.auth',
      { page: 'runs', filters: { attention: 'failed', kind: 'provider.auth' } },
    ],
    ['/runs/r1', '', { page: 'run', run: 'r1' }],
    ['/runs/r1', '?step=each%5B3%5D%2Fone', { page: 'run', run: 'r1', step: 'each[3]/one' }],
    ['/runs/r1/repair', '', { page: 'repair', run: 'r1' }],
    ['/gates', '', { page: 'gates' }],
    ['/workflows', '', { page: 'workflows' }],
    ['/workflows/a%2Fb', '', { page: 'workflow', name: 'a/b' }],
    ['/kinds/provider.auth', '', { page: 'kind', kind: 'provider.auth' }],
    ['/elsewhere', '', { page: 'unknown', path: '/elsewhere' }],
  ])('reads %s%s', (path, search, address) => {
    expect(addressOf(path, search)).toEqual(address);
  });

  it('takes a path that is not well encoded as it is written', () => {
    expect(addressOf('/kinds/%E0%A4%A', '')).toEqual({ page: 'kind', kind: '%E0%A4%A' });
  });

  it('reads back what it writes, whatever the names are', () => {
    const name = fc
      .string({ minLength: 1, unit: anyCharacter })
      .filter((text) => text.isWellFormed());
    const address: fc.Arbitrary<Address> = fc.oneof(
      fc.record({ page: fc.constant('run' as const), run: name, step: name }),
      fc.record({ page: fc.constant('repair' as const), run: name }),
      fc.record({ page: fc.constant('workflow' as const), name }),
      fc.record({ page: fc.constant('kind' as const), kind: name }),
      fc
        .record({ attention: name, workflow: name, kind: name }, { requiredKeys: [] })
        .map((filters): Address => ({ page: 'runs', filters })),
    );
    fc.assert(
      fc.property(address, (at) => {
        const url = new URL(pathOf(at), 'http://127.0.0.1');
        // browsers resolve these names as folders, and no server has them
        fc.pre(!Object.values(at).some((part) => part === '.' || part === '..'));
        expect(addressOf(url.pathname, url.search)).toEqual(at);
      }),
      { numRuns: runs(300) },
    );
  });
});
