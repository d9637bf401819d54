/** What a file takes from a variable is a secret wherever it stands, also in how a server is reached. */
import {
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createErrand, type Errand } from '../../src/engine/errand.ts';

const TOKEN = 'zq9fakeT0kenAAAA1111';
const QUERY = 'Qx7vBn2mLk4J';
const ARG = 'acme-8842-private-77';
const BRANCH = 'payments-team';

const ENV = {
  PATH: process.env['PATH'] ?? '',
  // nothing answers at this port
  ZAPIER_URL: `http://127.0.0.1:1/mcp/${TOKEN}/sse?u=${QUERY}`,
  ACME: ARG,
  MODEL: 'sim/one-of-many-2024-11-20',
  TEAM: BRANCH,
  REGION: 'eu',
  PORT: '8080',
  FLAG: 'true',
  EMPTY: '',
};

let folder: string;
let errand: Errand;
let reported: unknown[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'errand-variables-'));
  // the client for servers is looked for beside the workflow
  symlinkSync(join(import.meta.dirname, '../sdks/node_modules'), join(folder, 'node_modules'));
  reported = [];
  errand = await open();
});
afterEach(async () => {
  await errand.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(): Promise<Errand> {
  return createErrand({
    store: `sqlite:${join(folder, '.errand/errand.db')}`,
    directory: folder,
    env: ENV,
    onInternal: (record) => reported.push(record),
    onWarning: (warning) => reported.push(warning),
  });
}

async function play(text: string): Promise<{ id: string; seen: string; result: unknown }> {
  const file = join(folder, 'main.yaml');
  writeFileSync(file, text);
  const run = await errand.start(await errand.load(file), {
    onEvent: (event) => reported.push(event),
  });
  const result = await run.result();
  const history: unknown[] = [];
  for await (const event of errand.history(run.id)) history.push(event);
  const seen = JSON.stringify([result, reported, history, await errand.get(run.id)]);
  return { id: run.id, seen, result };
}

function stored(): string {
  return globSync('.errand/**', { cwd: folder })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('');
}

const SERVER = (body: string): string => `workflow:
  name: t
  entry_point: a
  on_unhandled: fail
  runtime: {mcp_servers: {s: ${body}}}
nodes: [{name: a, type: tool, tool: s/t}]
`;

describe('a value from a variable', () => {
  it.each([
    ['the address of a server', "{type: http, url: '${ZAPIER_URL}'}"],
    ['a part of an address', "{type: http, url: 'http://127.0.0.1:1/${ACME}'}"],
    [
      'an argument of a server',
      "{command: node, args: [-e, 'console.error(process.argv); process.exit(1)', '${ACME}']}",
    ],
    ['the command of a server', "{command: './no-${ACME}'}"],
  ])('is not shown or stored as %s', async (_name, body) => {
    const { seen, result } = await play(SERVER(body));
    expect(result).toMatchObject({ status: 'failed', error: { kind: 'mcp.unreachable' } });
    for (const secret of [TOKEN, QUERY, ARG]) {
      expect(seen).not.toContain(secret);
      expect(stored()).not.toContain(secret);
    }
    expect(stored()).toMatch(/\$\{(?:ZAPIER_URL|ACME)\}/);
  });

  it('is filled in again when the run is resumed', async () => {
    const show = 'require("fs").appendFileSync("got", process.argv[1] + ";"); process.exit(1)';
    const { id } = await play(SERVER(`{command: node, args: [-e, '${show}', '\${ACME}']}`));
    writeFileSync(join(folder, 'got'), '');
    await errand.close();
    errand = await open();
    await (await errand.resume(id)).result();
    expect(new Set(readFileSync(join(folder, 'got'), 'utf8').split(';').filter(Boolean))).toEqual(
      new Set([ARG]),
    );
  });

  it('is a secret in the data of a node too', async () => {
    const { seen } = await play(
      "workflow: {name: t, entry_point: a}\nnodes: [{name: a, type: set, value: 'x ${ACME} ${ZAPIER_URL}'}]\n",
    );
    for (const secret of [TOKEN, QUERY, ARG]) expect(seen).not.toContain(secret);
  });

  it('is no secret where it says too little, or names a model', async () => {
    const { result, seen } = await play(`workflow:
  name: t
  entry_point: a
  runtime: {simulate: {one-of-many-2024-11-20: [{answer: eu}]}}
nodes:
  - {name: a, model: '\${MODEL}', tools: [], prompt: hi, routes: [{to: b}]}
  - {name: b, type: set, values: {r: '\${REGION}', p: '\${PORT}', f: '\${FLAG}', e: '\${EMPTY}', t: '\${TEAM}'}}
output: {r: '{{ b.output.r }}', p: '{{ b.output.p }}', f: '{{ b.output.f }}', e: '{{ b.output.e }}', t: '{{ b.output.t }}'}
`);
    expect(result).toMatchObject({
      status: 'completed',
      output: { r: 'eu', p: '8080', f: 'true', e: '', t: BRANCH },
    });
    expect(seen).toContain(ENV.MODEL);
  });
});
