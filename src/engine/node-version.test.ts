import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { refuseOldNode } from './node-version.ts';

function refusalOf(version: string): unknown {
  try {
    refuseOldNode(version);
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

it.each(['20.20.2', '22.17.9', '18.0.0'])('Node %s is refused by its version', (version) => {
  expect(refusalOf(version)).toMatchObject({
    kind: 'validation.unsupported',
    message: `Errand needs Node 22.18 or newer; this is ${version}`,
    report: { action: { kind: 'fix_setup' } },
  });
});

it.each(['22.18.0', '24.0.0', process.versions.node])('Node %s is taken', (version) => {
  expect(refusalOf(version)).toBeUndefined();
});

it('needs what the package says', () => {
  const text = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
  const { engines } = JSON.parse(text) as { engines: { node: string } };
  const needed = engines.node.replace('>=', '');
  expect(refusalOf(`${needed}.0`)).toBeUndefined();
  expect(refusalOf('20.0.0')).toMatchObject({ report: { details: { needed } } });
});
