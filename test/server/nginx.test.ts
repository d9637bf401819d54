/** The recipe for nginx, as it is printed: a real nginx before a real server, with streams through it. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { newFolder, serve, type Ask, type Served } from './served.ts';
import { follow, readAll, readSome } from './sse.ts';
import { ALL } from './workflows.ts';

const RECIPE = join(import.meta.dirname, '../../docs/recipes/behind-nginx.md');
const NAME = 'errand.example';
const HAS_NGINX = spawnSync('nginx', ['-v']).error === undefined;
if (!HAS_NGINX)
  process.stderr.write(
    '\n*** nginx is not installed: the recipe for nginx is NOT TESTED here ***\n\n',
  );

const running: { readonly child: ChildProcess; readonly ended: Promise<unknown> }[] = [];
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGTERM');
    await ended;
  }
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The recipe on loopback and without TLS; everything else is as it stands there. */
function configOf(
  folder: string,
  ports: { readonly own: number; readonly server: number },
): string {
  const [, recipe = ''] = /```nginx\n([^]*?)```/.exec(readFileSync(RECIPE, 'utf8')) ?? [];
  const here = recipe
    .replace('listen 443 ssl;', `listen 127.0.0.1:${ports.own};`)
    .replaceAll(/^ *ssl_.*\n/gm, '')
    .replace('127.0.0.1:4242', `127.0.0.1:${ports.server}`);
  return `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events {}
http { access_log off; gzip on; gzip_types *; ${temporary(folder)} ${here} }
`;
}

function temporary(folder: string): string {
  return ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
}

/** The address of an nginx that passes requests to this server. */
async function startNginx({ port }: Served): Promise<string> {
  const folder = newFolder();
  // where root starts nginx, its workers are somebody else
  chmodSync(folder, 0o755);
  const own = await freePort();
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, configOf(folder, { own, server: port }));
  const child = spawn('nginx', ['-c', config, '-p', folder, '-e', join(folder, 'error.log')]);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  running.push({ child, ended });
  const url = `http://127.0.0.1:${own}`;
  const isUp = (): Promise<boolean> =>
    fetch(`${url}/health`).then(
      () => true,
      () => false,
    );
  await expect.poll(isUp, { timeout: 60_000 }).toBe(true);
  return url;
}

describe.runIf(HAS_NGINX)('behind nginx, by the recipe', () => {
  it('streams come as they are stored, and are continued after a cut', async () => {
    const served = await serve({ files: ALL });
    const front = served.behind(await startNginx(served));
    const { run } = await front.run('ask');
    const reading = await follow(front, `/v1/runs/${run}/events`);
    // nothing follows for now, so it is here because nothing keeps it back
    expect(await readSome(reading, 1)).toMatchObject([{ id: 1, event: 'run:started' }]);
    expect(reading.headers.get('content-encoding')).toBeNull();
    const again = await follow(front, `/v1/runs/${run}/events`, { 'last-event-id': '1' });
    expect((await again.events.next()).value).toMatchObject({ id: 2 });
    expect((await front.ask(`/v1/runs/${run}/answers`, { json: { value: 'yes' } })).status).toBe(
      200,
    );
    expect((await readAll(again)).at(-1)).toMatchObject({ event: 'end' });
  });

  it('requests and refusals pass as they are', async () => {
    const served = await serve({ files: ALL, args: ['--public-url', `https://${NAME}`] });
    const direct = served.behind(`http://127.0.0.1:${served.port}`);
    const front = served.behind(await startNginx(served));
    for (const [path, ask] of REQUESTS) {
      const [through, past] = [await front.ask(path, ask), await direct.ask(path, ask)];
      expect([path, through.status, plain(through.json)]).toEqual([
        path,
        past.status,
        plain(past.json),
      ]);
      for (const name of ['allow', 'errand-error-source', 'www-authenticate', 'link', 'etag'])
        expect([path, name, through.headers.get(name)]).toEqual([
          path,
          name,
          past.headers.get(name),
        ]);
    }
    // nginx tells the server which name was asked for, and the Origin has to be of it
    const origin = (from: string) => front.raw('/health', { host: NAME, origin: from });
    expect((await origin(`https://${NAME}`)).status).toBe(200);
    expect((await origin('https://evil.example')).status).toBe(403);
  });

  it('a page of it has a session, whatever port it is on', async () => {
    const served = await serve({ files: ALL });
    const front = served.behind(await startNginx(served));
    const begun = await front.ask('/session', { method: 'POST', headers: { origin: front.url } });
    const [cookie = ''] = (begun.headers.get('set-cookie') ?? '').split(';');
    const headers = { cookie, origin: front.url };
    const started = await front.ask('/v1/runs', {
      token: null,
      headers,
      json: { workflow: 'hello' },
    });
    expect(started.status).toBe(201);
  });
});

const TOO_LARGE = JSON.stringify({ workflow: 'hello', input: { who: 'x'.repeat(1_200_000) } });
const JSON_TYPE = { 'content-type': 'application/json' };
const REQUESTS: readonly (readonly [string, Ask])[] = [
  ['/health', {}],
  ['/v1/runs', {}],
  ['/v1/workflows/hello', {}],
  ['/v1/runs', { token: null }],
  ['/v1/runs/nobody', {}],
  ['/v1/runs', { method: 'DELETE' }],
  ['/v1/runs?limit=0', {}],
  ['/v1/runs', { headers: JSON_TYPE, body: TOO_LARGE }],
  ['/v1/runs', { headers: JSON_TYPE, body: '{' }],
];

/** Each refusal has an id of its own. */
function plain(json: { readonly instance?: string } | undefined): unknown {
  return json === undefined ? json : { ...json, instance: '' };
}
