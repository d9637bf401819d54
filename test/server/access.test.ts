/** Who may do what: hosts, origins, tokens, roles, sessions, and servers that refuse to start. */
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { freePort } from '../free-port.ts';
import { refusedServe, serveWarm as serve, type Answer, type Served } from './served.ts';
import { ALL, HELLO } from './workflows.ts';

const SECRETS = {
  ada: 'ada-secret-0123456789',
  ci: 'ci-secret-0123456789x',
  eve: 'eve-secret-0123456789',
};
const TOKENS = `ada:${SECRETS.ada}:run,ci:${SECRETS.ci}:read,eve:${SECRETS.eve}:edit`;

function kindOf({ status, json }: Answer): [number, string | undefined] {
  return [status, json?.kind];
}

describe('Host and Origin', () => {
  const auth = (served: Served) => ({ authorization: `Bearer ${served.token}` });

  it('lets addresses, loopback names and allowed names in, whatever the port', async () => {
    const served = await serve({ files: ALL, args: ['--allow-host', 'errand.example'] });
    for (const host of [
      '127.0.0.1',
      '127.0.0.1:1',
      '10.1.2.3:80',
      '[::1]:9',
      '[::ffff:127.0.0.1]',
      '[::FFFF:10.1.2.3]:4242',
      '[0:0:0:0:0:0:0:1]:80',
      'localhost',
      'app.localhost:3',
      'errand.example:443',
      'ERRAND.example',
    ])
      expect([host, (await served.raw('/v1/runs', { host, ...auth(served) })).status]).toEqual([
        host,
        200,
      ]);
  });

  it('refuses every other name, also for what needs no token', async () => {
    const served = await serve({ files: ALL });
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'evil.example:4242',
      'a b',
      '',
      '0x7f.1',
      '0x7f.1:80',
      '127.1:80',
      '256.1.1.1:80',
      '[::1::2]',
      'user@127.0.0.1',
      '127.0.0.1/x',
    ])
      for (const path of ['/v1/runs', '/health', '/', '/nothing'])
        expect([host, kindOf(await served.raw(path, { host, ...auth(served) }))]).toEqual([
          host,
          [403, 'request.forbidden'],
        ]);
  });

  it('wants an Origin of the same host and port, or an allowed one', async () => {
    const served = await serve({ files: ALL, args: ['--allow-origin', 'https://desk.example'] });
    const host = `127.0.0.1:${served.port}`;
    const ask = (origin: string) => served.raw('/v1/runs', { host, origin, ...auth(served) });
    expect((await ask(`http://${host}`)).status).toBe(200);
    const allowed = await ask('https://desk.example');
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://desk.example');
    for (const origin of [
      'http://127.0.0.1',
      `http://localhost:${served.port}`,
      'https://evil.example',
      'null',
      `http://${host}.evil.example`,
      `http://evil@${host}`,
    ])
      expect([origin, kindOf(await ask(origin))]).toEqual([origin, [403, 'request.forbidden']]);
    const preflight = await served.raw(
      '/v1/runs',
      { host, origin: 'https://desk.example' },
      'OPTIONS',
    );
    expect(preflight.status).toBe(204);
    expect((await ask(`http://${host}`)).headers.has('access-control-allow-origin')).toBe(false);
  });
});

describe('tokens', () => {
  it('are needed, and a wrong one is refused as such', async () => {
    const served = await serve({ files: ALL });
    const none = await served.ask('/v1/runs', { token: null });
    expect(kindOf(none)).toEqual([401, 'request.unauthenticated']);
    expect(none.headers.get('www-authenticate')).toBe('Bearer');
    for (const authorization of [
      'Bearer wrong',
      'Bearer',
      'Basic abc',
      `bearer${served.token}`,
      `Bearer ${served.token}x`,
    ])
      expect(
        kindOf(await served.ask('/v1/runs', { token: null, headers: { authorization } })),
      ).toEqual([401, 'request.unauthenticated']);
    const lower = { authorization: `bearer ${served.token}` };
    expect((await served.ask('/v1/runs', { token: null, headers: lower })).status).toBe(200);
  });

  it('are never read from a query', async () => {
    const served = await serve({ files: ALL });
    for (const query of [`token=${served.token}`, `access_token=${served.token}`])
      expect(kindOf(await served.ask(`/v1/runs?${query}`, { token: null }))).toEqual([
        401,
        'request.unauthenticated',
      ]);
    expect(served.stderr).not.toContain(served.token);
  });

  it('have roles: reading, running, editing', async () => {
    const served = await serve({
      files: ALL,
      env: { ERRAND_TOKENS: TOKENS },
      args: ['--allow-edit'],
    });
    const as = (token: string, path: string, method: string, body?: string) =>
      served.ask(path, {
        token,
        method,
        ...(body === undefined
          ? {}
          : {
              body,
              headers: {
                'content-type': body.startsWith('{') ? 'application/json' : 'application/yaml',
              },
            }),
      });
    const { ada, ci, eve } = SECRETS;
    for (const token of [ada, ci, eve]) {
      for (const path of [
        '/v1/runs',
        '/v1/workflows',
        '/v1/gates',
        '/v1/catalog',
        '/metrics',
        '/openapi.json',
      ])
        expect((await as(token, path, 'GET')).status).toBe(200);
      expect((await as(token, '/v1/workflows/hello/validate', 'POST', HELLO)).status).toBe(200);
      expect((await as(token, '/v1/classify', 'POST', '{"status":500}')).status).toBe(200);
    }
    const start = '{"workflow":"hello"}';
    expect(kindOf(await as(ci, '/v1/runs', 'POST', start))).toEqual([403, 'request.forbidden']);
    for (const verb of ['resume', 'answers', 'cancel'])
      expect(kindOf(await as(ci, `/v1/runs/x/${verb}`, 'POST', '{}'))).toEqual([
        403,
        'request.forbidden',
      ]);
    expect((await as(ada, '/v1/runs', 'POST', start)).status).toBe(201);
    expect(kindOf(await as(ada, '/v1/workflows/hello', 'PUT', HELLO))).toEqual([
      403,
      'request.forbidden',
    ]);
    expect(kindOf(await as(eve, '/v1/workflows/hello', 'PUT', HELLO))).toEqual([
      412,
      'request.stale',
    ]);
    const { run } = (await as(ada, '/v1/runs', 'POST', '{"workflow":"ask"}')).json;
    const answered = await as(ada, `/v1/runs/${run}/answers`, 'POST', '{"value":"yes"}');
    expect(answered.json.by).toBe('http:ada');
  });

  it('of different names have keys of their own', async () => {
    const served = await serve({ files: ALL, env: { ERRAND_TOKENS: TOKENS } });
    const start = (token: string) =>
      served.ask('/v1/runs', {
        token,
        json: { workflow: 'hello' },
        headers: { 'idempotency-key': 'k' },
      });
    expect([(await start(SECRETS.ada)).status, (await start(SECRETS.eve)).status]).toEqual([
      201, 201,
    ]);
  });

  it('are checked in order: host, token, path, method, role, media type, size, body', async () => {
    const served = await serve({ files: ALL, env: { ERRAND_TOKENS: TOKENS } });
    const long = 'x'.repeat(1024 * 1024 + 1);
    const { ada, ci } = SECRETS;
    const kind = async (...[path, ask]: Parameters<typeof served.ask>) =>
      (await served.ask(path, ask)).json?.kind;
    const post = (token: string, type: string, body: string) =>
      kind('/v1/runs', { token, body, headers: { 'content-type': type } });
    const foreign = await served.raw('/nothing', { host: 'evil.example' }, 'PATCH');
    expect(kindOf(foreign)[1]).toBe('request.forbidden');
    expect(await kind('/nothing', { method: 'PATCH', token: null })).toBe(
      'request.unauthenticated',
    );
    expect(await kind('/nothing', { method: 'PATCH', token: ci })).toBe('request.not_found');
    expect(await kind('/v1/runs', { method: 'PATCH', token: ci })).toBe('request.method');
    expect(await post(ci, 'text/plain', long)).toBe('request.forbidden');
    expect(await post(ada, 'text/plain', long)).toBe('request.media_type');
    const zipped = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const packed = await served.ask('/v1/runs', { token: ada, body: '{}', headers: zipped });
    expect(kindOf(packed)).toEqual([415, 'request.media_type']);
    expect(await post(ada, 'application/json', long)).toBe('request.too_large');
    expect(await post(ada, 'application/json', '{')).toBe('request.invalid');
  });

  it('that are wrong have to wait after ten, and a right one passes', async () => {
    const served = await serve({ files: ALL });
    const wrong = () => served.ask('/v1/runs', { token: 'wrong-token-wrong-token' });
    for (let n = 0; n < 10; n++) expect((await wrong()).status).toBe(401);
    const limited = await wrong();
    expect(kindOf(limited)).toEqual([429, 'request.limited']);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await served.ask('/v1/runs')).status).toBe(200);
    expect((await wrong()).status).toBe(429);
    expect(served.stderr.match(/refused a wrong token/g)?.length).toBe(12);
    expect(served.stderr).not.toContain('wrong-token');
  });

  it('of a read-only server can only read', async () => {
    const served = await serve({ files: ALL, args: ['--read-only', '--allow-edit'] });
    expect(kindOf(await served.ask('/v1/runs', { json: { workflow: 'hello' } }))).toEqual([
      403,
      'request.forbidden',
    ]);
    expect((await served.ask('/v1/runs')).status).toBe(200);
  });

  it('reach no script', async () => {
    const env = `
workflow: {name: env, entry_point: show}
nodes: [{name: show, type: script, command: bash, args: ["-c", "env"]}]
`;
    const served = await serve({
      files: { 'env.yaml': env },
      env: {
        ERRAND_TOKENS: TOKENS,
        ERRAND_TOKEN: 'one-more-secret-0123',
        ERRAND_WEBHOOK_SECRET: 'whsec_c2VjcmV0c2VjcmV0c2VjcmV0',
      },
    });
    const { json } = await served.ask('/v1/runs', {
      token: SECRETS.ada,
      json: { workflow: 'env' },
      headers: { prefer: 'wait=60' },
    });
    expect(json.status).toBe('completed');
    expect(json.output.stdout).toContain('ERRAND_RUN');
    for (const secret of [...Object.values(SECRETS), 'one-more-secret', 'c2VjcmV0c2VjcmV0'])
      expect(JSON.stringify(json)).not.toContain(secret);
  });
});

describe('sessions', () => {
  async function session(served: Served, token = served.token): Promise<string> {
    const answer = await served.ask('/session', { method: 'POST', token });
    expect(answer.status).toBe(204);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Strict/);
    expect(cookie).not.toContain(token);
    return cookie.split(';')[0] ?? '';
  }

  it('begin with a token, read without an Origin, and change things only with one', async () => {
    const served = await serve({ files: ALL });
    const cookie = await session(served);
    const host = `127.0.0.1:${served.port}`;
    const ask = (headers: Record<string, string>, json?: unknown) =>
      served.ask('/v1/runs', {
        token: null,
        headers: { cookie, ...headers },
        ...(json === undefined ? {} : { json }),
      });
    expect((await ask({})).status).toBe(200);
    expect(kindOf(await ask({}, { workflow: 'hello' }))).toEqual([403, 'request.forbidden']);
    const foreign = await ask({ origin: 'https://evil.example' }, { workflow: 'hello' });
    expect(kindOf(foreign)).toEqual([403, 'request.forbidden']);
    expect((await ask({ origin: `http://${host}` }, { workflow: 'hello' })).status).toBe(201);
    expect(kindOf(await served.ask('/session', { method: 'POST', token: null }))).toEqual([
      401,
      'request.unauthenticated',
    ]);
  });

  it('end for good, and a forged one is none', async () => {
    const served = await serve({ files: ALL });
    const cookie = await session(served);
    const origin = `http://127.0.0.1:${served.port}`;
    const forged = `${cookie.slice(0, -2)}xx`;
    expect(
      (await served.ask('/v1/runs', { token: null, headers: { cookie: forged } })).status,
    ).toBe(401);
    const ended = await served.ask('/session', {
      method: 'DELETE',
      token: null,
      headers: { cookie, origin },
    });
    expect(ended.status).toBe(204);
    expect(ended.headers.get('set-cookie')).toMatch(/Max-Age=0/);
    expect((await served.ask('/v1/runs', { token: null, headers: { cookie } })).status).toBe(401);
  });

  it('outlive a restart with tokens of the environment, and not with a minted one', async () => {
    const env = { ERRAND_TOKENS: TOKENS };
    const served = await serve({ files: ALL, env, port: await freePort() });
    const cookie = await session(served, SECRETS.ada);
    await served.stop();
    const again = await serve({ folder: served.folder, env, port: served.port });
    expect((await again.ask('/v1/runs', { token: null, headers: { cookie } })).status).toBe(200);
    await again.stop();
    const minted = await serve({ folder: served.folder, port: served.port });
    expect((await minted.ask('/v1/runs', { token: null, headers: { cookie } })).status).toBe(401);
  });

  it('stay ended after a restart with the same tokens, and at another server on the store', async () => {
    const env = { ERRAND_TOKENS: TOKENS };
    const served = await serve({ files: ALL, env });
    const other = await serve({ folder: served.folder, env });
    const [ended, open] = [await session(served, SECRETS.ada), await session(served, SECRETS.ada)];
    const status = async (at: Served, cookie: string) =>
      (await at.ask('/v1/runs', { token: null, headers: { cookie } })).status;
    expect([await status(other, ended), await status(other, open)]).toEqual([200, 200]);
    await served.ask('/session', {
      method: 'DELETE',
      token: null,
      headers: { cookie: ended, origin: served.url },
    });
    await expect.poll(() => status(other, ended)).toBe(401);
    await served.stop();
    const again = await serve({ folder: served.folder, env });
    expect([await status(again, ended), await status(again, open)]).toEqual([401, 200]);
  });

  it('are Secure behind a public URL', async () => {
    const served = await serve({ files: ALL, args: ['--public-url', 'https://errand.example'] });
    expect(served.url).toBe('https://errand.example');
    const local = Object.assign(Object.create(Object.getPrototypeOf(served)), served, {
      url: `http://127.0.0.1:${served.port}`,
    });
    const answer = await local.ask('/session', { method: 'POST' });
    expect(answer.headers.get('set-cookie')).toMatch(/Secure/);
    const host = { host: 'errand.example', authorization: `Bearer ${served.token}` };
    expect((await served.raw('/v1/runs', host)).status).toBe(200);
  });
});

describe('a server that cannot start', () => {
  it.each([
    ['a file that is not there', { args: ['nobody.yaml'] }],
    ['tokens that cannot be read', { env: { ERRAND_TOKENS: 'ada' } }],
    ['an unknown role', { env: { ERRAND_TOKENS: 'ada:0123456789abcdef:king' } }],
    ['a short secret', { env: { ERRAND_TOKENS: 'ada:short:run' } }],
    ['a short single secret', { env: { ERRAND_TOKEN: 'short' } }],
    ['a bind beyond loopback without tokens', { args: ['--host', '0.0.0.0'] }],
    ['a port that is none', { args: ['--port', '99999'] }],
    ['no number of runs', { args: ['--max-runs', '0'] }],
    ['an origin with a path', { args: ['--allow-origin', 'https://a.example/x'] }],
  ])('says so and exits with 2: %s', async (_what, setup) => {
    const { code, stderr, stdout } = await refusedServe({ files: ALL, ...setup });
    expect([code, stderr]).toEqual([2, expect.any(String)]);
    expect(stdout).not.toContain('"pid"');
    expect(`${stdout}${stderr}`).not.toContain('0123456789abcdef');
    // the advice is ours, and names nobody's secret
    expect(`${stdout}${stderr}`).not.toContain('redacted');
  });

  it('exits with 2 for a port in use', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect((await refusedServe({ files: ALL, port })).code).toBe(2);
    taken.close();
  });
});

describe('the page', () => {
  it('allows nothing inline, no framing, and says nothing of where it came from', async () => {
    const served = await serve({ files: ALL });
    const { headers } = await served.ask('/', { token: null });
    const csp = headers.get('content-security-policy') ?? '';
    expect(csp).toContain("default-src 'none'");
    expect(csp).toContain("frame-ancestors 'none'");
    expect(csp).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('is announced with the token in the fragment, once, and in JSON without it in the address', async () => {
    const served = await serve({ files: ALL });
    expect(served.url).not.toContain('token');
    expect(served.token.length).toBeGreaterThan(20);
    expect(served.stderr).not.toContain(served.token);
  });
});
