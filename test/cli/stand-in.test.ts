/** A stand-in for the provider of a file has to be a provider, also for a file without a model. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPlace, type Place } from './errand.ts';

const FILE = `workflow: {name: w, entry_point: a, on_unhandled: fail}
nodes: [{name: a, type: set, value: 1}]
`;

let place: Place;

beforeAll(() => {
  place = newPlace({ isShared: true });
  place.write('ok.yaml', FILE);
  place.write(
    'acme.ts',
    `import { extension } from 'errand';
export const acme = extension({ name: 'acme', contract: 1, providers: { acme: {} } });
`,
  );
  place.write('acme.yaml', FILE.replace('on_unhandled', 'extensions: [./acme.ts], on_unhandled'));
});
afterAll(() => place.remove());

describe('a stand-in that is no provider', () => {
  it.each([
    ['run', 'ok.yaml', '--provider', 'nope'],
    ['validate', 'ok.yaml', '--provider', 'nope'],
    ['validate', 'ok.yaml', '--no-modules', '--provider', 'nope'],
    ['rehearse', 'ok.yaml', '--provider', 'nope'],
    ['run', 'acme.yaml', '--provider', 'nope'],
  ])('is refused by %s %s %s %s %s, and those that exist are named', (...args) => {
    const { exit, stdout, stderr } = place.run(args);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toContain('No provider is called `nope`');
    expect(stderr).toMatch(/Name one of: sim, (?:acme, )?openai, anthropic,/);
  });

  it('is refused where the environment names it', () => {
    const { exit, stderr } = place.run(['run', 'ok.yaml'], { env: { ERRAND_PROVIDER: 'opnai' } });
    expect(exit).toBe(2);
    expect(stderr).toContain('Did you mean openai?');
  });

  it('may be one of an extension, or another spelling', () => {
    expect(place.run(['run', 'acme.yaml', '--provider', 'acme']).exit).toBe(0);
    expect(place.run(['run', 'ok.yaml', '--provider', 'Claude']).exit).toBe(0);
  });
});
