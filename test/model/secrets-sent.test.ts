/** No request to a model has a secret of the file, whichever key of an agent holds it. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createErrand } from '../../src/engine/errand.ts';
import { REDACTED } from '../../src/errors/report/bounded-text.ts';
import { requireSdks } from '../sdk-parity/install.ts';
import { SDKS } from './harness.ts';
import { PROTOCOLS, type Protocol } from './protocols.ts';
import { startUpstream, streams, type Upstream } from './upstream.ts';

const SECRET = 'Zk7Qp2Xw9LmR4tVb8NcY';

let upstream: Upstream;
let folder: string;
beforeAll(async () => {
  requireSdks();
  upstream = await startUpstream();
  folder = mkdtempSync(join(tmpdir(), 'errand-sent-'));
  // packages are looked for beside the file
  symlinkSync(join(SDKS, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await upstream.close();
});

/** Where the file of an agent can have a value that a model reads. */
const PLACES: Readonly<Record<string, object>> = {
  'the prompt': { prompt: 'log in with ${DB_PASSWORD}' },
  'the system prompt': { system_prompt: 'log in with ${DB_PASSWORD}' },
  'the values of an output': {
    output: { label: { type: 'string', enum: ['${DB_PASSWORD}', 'other'] } },
  },
  'the description of an output': {
    output: { label: { type: 'string', enum: ['a'], description: 'not ${DB_PASSWORD}' } },
  },
  'a schema of its own': {
    output_schema: { type: 'object', properties: { label: { const: '${DB_PASSWORD}' } } },
  },
};

async function sent(protocol: Protocol, text: string, more: object): Promise<readonly string[]> {
  const [name = ''] = protocol.model.split('/');
  upstream.answer(streams(protocol.stream({ text, stop: protocol.stops.good })));
  const file = join(folder, 'main.yaml');
  const provider = {
    name,
    base_url: `${upstream.url}${protocol.base}`,
    api_key: 'key-of-nobody-1',
  };
  writeFileSync(
    file,
    JSON.stringify({
      workflow: { name: 'w', entry_point: 'a', on_unhandled: 'fail', runtime: { provider } },
      nodes: [{ name: 'a', model: protocol.model, prompt: 'go', tools: [], ...more }],
    }),
  );
  const errand = await createErrand({
    store: 'memory',
    directory: folder,
    env: { DB_PASSWORD: SECRET },
  });
  try {
    const run = await errand.start(await errand.load(file));
    await run.result();
  } finally {
    await errand.close();
  }
  return upstream.received.map((received) => JSON.stringify(received));
}

describe.each(PROTOCOLS)('by $name', (protocol) => {
  it.each(Object.entries(PLACES))('a model is not sent %s with a secret', async (_place, more) => {
    const isChecked = 'output' in more || 'output_schema' in more;
    const requests = await sent(protocol, '{"label": "wrong"}', more);
    // an answer off its schema is sent back with what is wrong, twice
    expect(requests).toHaveLength(isChecked ? 3 : 1);
    for (const request of requests) expect(request).not.toContain(SECRET);
    expect(requests.some((request) => request.includes(REDACTED))).toBe(true);
  });

  it('the mark in place of a secret is a value of the schema', async () => {
    const more = { output: { label: { type: 'string', enum: ['${DB_PASSWORD}'] } } };
    expect(await sent(protocol, `{"label": "${REDACTED}"}`, more)).toHaveLength(1);
    expect(await sent(protocol, `{"label": "${SECRET}"}`, more)).toHaveLength(1);
  });
});
