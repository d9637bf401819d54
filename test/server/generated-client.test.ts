/** A TypeScript client, generated from the OpenAPI document of a real server: it compiles, and drives a whole run. */
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { newFolder, serve, type Served } from './served.ts';
import { ALL } from './workflows.ts';

const CLIENT = join(import.meta.dirname, '../http-client');
const TYPES = join(CLIENT, '__fixtures__/errand-api.ts');

async function node(...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, args, { cwd: CLIENT })).stdout;
}

function program(path: string): string {
  const found = join(CLIENT, 'node_modules', path);
  if (existsSync(found)) return found;
  throw new Error(`The generator is not installed in ${CLIENT}. Run \`npm test\`, which does it.`);
}

/** The types that the generator makes of the document of this server. */
async function generated(served: Served): Promise<string> {
  const document = join(newFolder(), 'openapi.json');
  const { json } = await served.ask('/openapi.json');
  // the version of the package is no part of the API
  writeFileSync(document, JSON.stringify({ ...json, info: { ...json.info, version: '0' } }));
  return node(program('openapi-typescript/bin/cli.js'), document);
}

test('is the one that is stored here, compiles, and drives a run from start to result', async () => {
  const served = await serve({ files: ALL });
  await expect(await generated(served)).toMatchFileSnapshot(TYPES);
  await node(program('typescript/bin/tsc'), '-p', join(CLIENT, 'tsconfig.json'));
  const printed = await node(join(CLIENT, 'drive.mts'), served.url, served.token);
  expect(JSON.parse(printed)).toEqual({
    names: expect.arrayContaining(['ask', 'hello']),
    before: 'paused',
    by: 'http:local',
    after: 'completed',
    result: { output: 'yes' },
    last: 'run:completed',
    total: 0,
    listed: [true],
    refused: 'run.not_found',
  });
});
