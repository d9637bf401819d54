/** What the workflow is made of, and that it still decides as it did. Needs no server. */
import { writeFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DATA_CONVERTER } from '../../src/engine/temporal/codec.ts';
import { recordedHistories } from './histories.ts';
import { cachedBundle, hasPackages, PACKAGES } from './stage.ts';
import { say } from './server.ts';

const isHere = hasPackages();
if (!isHere)
  say('SKIPPED, so no recorded history was replayed: run `npm test`, which installs the SDK');

describe.skipIf(!isHere)('the workflow', { timeout: 300_000 }, () => {
  it('is a bundle without any Node API, and without effects, stores and drivers of this machine', async () => {
    const code = readFileSync(await cachedBundle(), 'utf8');
    const ours = [...code.matchAll(/"\.\/src\/(?<file>[\w/-]+\.ts)"/g)].map(
      (match) => match[1] ?? '',
    );
    expect(ours).toContain('machine/decide/decide.ts');
    expect(ours).toContain('engine/run/run-loop.ts');
    const foreign = ours.filter((file) => /^(stores|cli|server)\//.test(file));
    const worldly = ours.filter(
      (file) => file.startsWith('effects/') && file !== 'effects/effect-port.ts',
    );
    expect([...foreign, ...worldly]).toEqual([]);
    expect(code).not.toMatch(/require\("node:/);
  });

  it('cannot be bundled with one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'errand-bundle-'));
    const bundled = async (text: string): Promise<unknown> => {
      const file = join(folder, 'workflow.ts');
      writeFileSync(file, text);
      const { bundleWorkflowCode, DefaultLogger } = worker();
      return bundleWorkflowCode({
        workflowsPath: file,
        logger: new DefaultLogger('ERROR', () => undefined),
        webpackConfigHook: (config: { resolve: { modules: string[] } }) => ({
          ...config,
          resolve: {
            ...config.resolve,
            modules: [...config.resolve.modules, join(PACKAGES, 'node_modules')],
          },
        }),
      });
    };
    await bundled('export const w = async () => 1;');
    const worldly = `import { readFileSync } from 'node:fs';\nexport const w = async () => readFileSync('x');`;
    await expect(bundled(worldly)).rejects.toThrow();
    rmSync(folder, { recursive: true });
  });

  it('has recorded histories', () => {
    expect(recordedHistories().length).toBeGreaterThanOrEqual(8);
  });

  it.each(isHere ? recordedHistories() : [])('decides as it did: $name', async ({ history }) => {
    const { Worker } = worker();
    const code = readFileSync(await cachedBundle(), 'utf8');
    await Worker.runReplayHistory(
      { workflowBundle: { code }, dataConverter: DATA_CONVERTER },
      history,
    );
  });
});

let isQuiet = false;

function worker() {
  const sdk = createRequire(join(PACKAGES, 'package.json'))('@temporalio/worker');
  if (!isQuiet) sdk.Runtime.install({ logger: new sdk.DefaultLogger('ERROR') });
  isQuiet = true;
  return sdk;
}
