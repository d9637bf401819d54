import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { contextFor, reportOf } from '../effect-port.cases.ts';
import type { EffectContext, EffectResult } from '../effect-port.ts';
import { readCallable } from '../module/callable.ts';
import { callCallable } from '../function/call-callable.ts';
import { isPublicAddress } from './addresses.ts';
import { createAllowList } from './allow-list.ts';
import type { FetchOptions } from '../../workflow/plan/plan.ts';
import { createFetchTool } from './fetch-tool.ts';
import type { ResolveName } from './guarded-request.ts';

const running: Server[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** The origin of a server on this machine. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  running.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** So that the other side has read what was written before. */
async function afterTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const resolveTo =
  (...addresses: readonly string[]): ResolveName =>
  (_, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

interface FetchCase {
  readonly resolve?: ResolveName;
  readonly context?: Partial<EffectContext>;
  readonly keepsTruncated?: boolean;
}

async function fetchWith(
  options: FetchOptions,
  input: JsonObject,
  { resolve, context = {}, keepsTruncated = false }: FetchCase = {},
): Promise<EffectResult> {
  const reading = await readCallable('http_fetch', createFetchTool(options, resolve), 'the host');
  if (reading.type !== 'callable') throw new Error(reading.what);
  const { callable } = reading;
  return callCallable(
    { type: 'tool', callable, input, isIdempotent: false, keepsTruncated },
    contextFor(context),
  );
}

/** Allows servers of this machine. */
const allowed = (...origins: readonly string[]): FetchOptions => ({
  allow: origins,
  allowPrivate: origins,
});

describe('the response of an allowed host', () => {
  it.each([
    ['application/json', '{"id": 7}', { id: 7 }],
    ['application/problem+json; charset=utf-8', '[1]', [1]],
    ['application/json', '{"id": 9007199254740993}', '{"id": 9007199254740993}'],
    ['text/html', '<p>é</p>', '<p>é</p>'],
  ])('is returned as %s', async (type, body, value) => {
    const origin = await serve((_, response) => response.setHeader('content-type', type).end(body));
    expect(await fetchWith(allowed(origin), { url: `${origin}/a?key=secret` })).toEqual({
      ok: true,
      output: { status: 200, url: `${origin}/a`, contentType: type, body: value },
    });
  });

  it('is a failure beyond its limit, also when compressed, unless the node keeps a cut one', async () => {
    const packed = gzipSync('x'.repeat(5_000_000));
    const origin = await serve((_, response) =>
      response
        .writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
        .end(packed),
    );
    const options = { ...allowed(origin), maxBytes: 1000 };
    const refused = await fetchWith(options, { url: origin });
    expect(reportOf(refused)).toMatchObject({
      kind: 'internal.output_too_large',
      retryable: false,
      outcome: 'failed',
    });
    expect(refused.output).toMatchObject({ body: 'x'.repeat(1000) });
    const kept = await fetchWith(options, { url: origin }, { keepsTruncated: true });
    expect(kept).toMatchObject({ ok: true, output: { body: 'x'.repeat(1000) } });
    expect(JSON.stringify(kept)).toContain('Only the first 1000 bytes are here');
  });

  it.each([
    ['text/plain; charset=iso-8859-1', [0x63, 0xe9], 'cé'],
    ['application/json; charset="windows-1252"', [0x22, 0x80, 0x22], '€'],
    ['text/plain', [0xff, 0xfe, 0x61, 0x00], 'a'],
  ])('is decoded as %s', async (type, bytes, body) => {
    const origin = await serve((_, response) =>
      response.setHeader('content-type', type).end(Buffer.from(bytes)),
    );
    expect(await fetchWith(allowed(origin), { url: origin })).toMatchObject({
      ok: true,
      output: { body },
    });
  });

  it.each([
    ['application/json', 'utf-8'],
    ['text/plain; charset=utf-8', 'utf-8'],
    ['text/plain', 'utf-8'],
    ['text/plain; charset=x-nope', 'x-nope'],
  ])('is refused as %s when its bytes are no such text', async (type, encoding) => {
    const bytes = Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xe9, 0x22, 0x7d]);
    const origin = await serve((_, response) =>
      response.setHeader('content-type', type).end(bytes),
    );
    expect(reportOf(await fetchWith(allowed(origin), { url: origin }))).toMatchObject({
      kind: 'tool.output_malformed',
      message: expect.stringContaining(encoding),
    });
  });

  it.each([
    ['image/png', 'x'],
    ['application/json', 'not json'],
  ])('is refused as %s', async (type, body) => {
    const origin = await serve((_, response) => response.setHeader('content-type', type).end(body));
    expect(reportOf(await fetchWith(allowed(origin), { url: origin })).kind).toBe(
      'tool.output_malformed',
    );
  });

  it.each([
    [300, false, undefined],
    [302, false, undefined],
    [304, false, undefined],
    [404, false, undefined],
    [429, true, 2000],
    [503, true, 2000],
    [503, true, 90_000, 'Wed, 18 Nov 2026 10:01:30 GMT'],
    [503, true, 0, 'Wed, 18 Nov 2026 09:00:00 GMT'],
  ])('with HTTP %i is a failure', async (status, retryable, hint, retryAfter = '2') => {
    const date = 'Wed, 18 Nov 2026 10:00:00 GMT';
    const origin = await serve((_, response) =>
      response.writeHead(status, { 'retry-after': retryAfter, date }).end('{}'),
    );
    const report = reportOf(await fetchWith(allowed(origin), { url: origin }));
    const category = retryable ? 'transient' : 'content';
    expect(report).toMatchObject({ kind: 'tool.failed', category, retryable, details: { status } });
    if (hint !== undefined) expect(report.provider?.retryAfterMs).toBe(hint);
  });

  it.each(['', 'soon', '-1'])('with no wait that can be read has no hint: "%s"', async (value) => {
    const origin = await serve((_, response) =>
      response.writeHead(503, { 'retry-after': value }).end('{}'),
    );
    const report = reportOf(await fetchWith(allowed(origin), { url: origin }));
    expect(report.provider?.retryAfterMs).toBeUndefined();
  });

  it.each([
    ['bytes 0-3/100', false],
    ['bytes 0-3/*', false],
    ['bytes 1-4/5', false],
    [undefined, false],
    ['bytes 0-3/4', true],
  ])('that is an unrequested part is a failure: %s', async (range, isWhole) => {
    const origin = await serve((_, response) =>
      response
        .writeHead(206, {
          'content-type': 'text/plain',
          ...(range === undefined ? {} : { 'content-range': range }),
        })
        .end('quar'),
    );
    const result = await fetchWith(allowed(origin), { url: origin });
    if (isWhole) expect(result).toMatchObject({ ok: true, output: { body: 'quar' } });
    else
      expect(reportOf(result)).toMatchObject({ kind: 'tool.output_malformed', retryable: false });
  });

  it('that breaks off in the middle is a failure', async () => {
    const origin = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '1000' });
      response.write('half', () => response.destroy());
    });
    const report = reportOf(await fetchWith(allowed(origin), { url: origin }));
    expect(report).toMatchObject({ kind: 'tool.failed', outcome: 'failed' });
    expect(report.message).toContain('broke');
  });

  it.each(['identity', 'gzip'])(
    'of no declared length is a failure when the connection is reset (%s)',
    async (packed) => {
      const body = packed === 'gzip' ? gzipSync('id,amount\n1,10\n') : 'id,amount\n1,10\n';
      const origin = await serve(({ socket }, response) => {
        response.useChunkedEncodingByDefault = false;
        response.writeHead(200, { 'content-type': 'text/csv', 'content-encoding': packed });
        response.write(body, () => void afterTurns(20).then(() => socket.resetAndDestroy()));
      });
      const report = reportOf(await fetchWith(allowed(origin), { url: origin }));
      expect(report).toMatchObject({ kind: 'tool.failed', outcome: 'failed', retryable: true });
      expect(report.message).toContain('broke');
      const writing = { ...allowed(origin), methods: ['POST'] as const };
      const written = await fetchWith(writing, { url: origin, method: 'POST' });
      expect(reportOf(written)).toMatchObject({ kind: 'tool.failed', outcome: 'unknown' });
    },
  );

  it('is awaited no longer than its time limit', async () => {
    const origin = await serve(() => undefined);
    const report = reportOf(
      await fetchWith({ ...allowed(origin), timeoutMs: 50 }, { url: origin }),
    );
    expect(report).toMatchObject({
      kind: 'tool.timeout',
      outcome: 'partial',
      category: 'transient',
      retryable: true,
    });
  });
});

describe('a host', () => {
  it('that is not allowed is not called', async () => {
    let requests = 0;
    const origin = await serve((_, response) => response.end(String((requests += 1))));
    const report = reportOf(await fetchWith({ allow: ['example.com'] }, { url: origin }));
    expect(report).toMatchObject({ kind: 'tool.denied', outcome: 'not_started' });
    expect(report.action.detail).not.toContain('allow_private');
    expect(requests).toBe(0);
  });

  it.each([
    'http://127.0.0.1',
    'http://127.1',
    'http://2130706433',
    'http://0x7f.0.0.1',
    'http://[::1]',
    'http://[::ffff:127.0.0.1]',
    'http://169.254.169.254',
    'http://[fd00:ec2::254]',
    'http://0.0.0.0',
  ])('that is a private address is not called although it is allowed: %s', async (url) => {
    expect(reportOf(await fetchWith({ allow: [url] }, { url }))).toMatchObject({
      kind: 'tool.denied',
      outcome: 'not_started',
      action: { kind: 'request_access', detail: expect.stringContaining('`allow_private`') },
    });
  });

  it.each([
    ['of this machine', ['127.0.0.1']],
    ['of the cloud', ['169.254.169.254']],
    ['of both kinds', ['93.184.215.14', '10.0.0.1']],
    ['in disguise', ['::ffff:10.0.0.1']],
    ['inside another', ['64:ff9b::a00:1']],
  ])('whose name resolves to an address %s is not called', async (_, addresses) => {
    const options = { allow: ['http://service.test'] };
    const result = await fetchWith(
      options,
      { url: 'http://service.test/' },
      { resolve: resolveTo(...addresses) },
    );
    expect(reportOf(result)).toMatchObject({ kind: 'tool.denied', outcome: 'not_started' });
  });

  it('is connected to at the checked address, and called by its name', async () => {
    const origin = await serve((request, response) => response.end(request.headers.host));
    const named = origin.replace('127.0.0.1', 'service.test');
    let resolved = 0;
    const resolve: ResolveName = (host, done) => {
      resolved += 1;
      resolveTo('127.0.0.1')(host, done);
    };
    const result = await fetchWith(allowed(named), { url: named }, { resolve });
    expect(result).toMatchObject({ ok: true, output: { body: new URL(named).host } });
    expect(resolved).toBe(1);
  });

  it('that cannot be resolved or connected to was not called', async () => {
    const resolve: ResolveName = (_, done) =>
      done(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []);
    const missing = await fetchWith(
      { allow: ['nowhere.test'] },
      { url: 'https://nowhere.test' },
      { resolve },
    );
    expect(reportOf(missing)).toMatchObject({
      kind: 'tool.failed',
      outcome: 'not_started',
      retryable: true,
    });
    const closed = allowed('http://127.0.0.1:1');
    expect(reportOf(await fetchWith(closed, { url: 'http://127.0.0.1:1' })).outcome).toBe(
      'not_started',
    );
  });

  it.each([
    'ftp://example.com',
    'file:///etc/passwd',
    'https://me:pw@example.com',
    'example.com',
    '',
  ])('is not in %o', async (url) => {
    expect(reportOf(await fetchWith({ allow: ['example.com'] }, { url }))).toMatchObject({
      kind: 'tool.input_invalid',
      outcome: 'not_started',
    });
  });
});

describe('a redirect', () => {
  const leadTo =
    (url: () => string, status = 302): RequestListener =>
    (_, response) =>
      response.writeHead(status, { location: url() }).end();

  it('is followed to a host that is allowed', async () => {
    const last = await serve((_, response) =>
      response.setHeader('content-type', 'text/plain').end('here'),
    );
    const first = await serve(leadTo(() => `${last}/x`));
    const result = await fetchWith(allowed(first, last), { url: first });
    expect(result).toMatchObject({ ok: true, output: { url: `${last}/x`, body: 'here' } });
  });

  it.each([
    ['a host that is not allowed', []],
    ['an allowed name of a private address', ['http://service.test']],
  ])('to %s ends there', async (_, more) => {
    const first = await serve(leadTo(() => 'http://service.test/latest/meta-data'));
    const options = { allow: [first, ...more], allowPrivate: [first] };
    const result = await fetchWith(
      options,
      { url: first },
      { resolve: resolveTo('169.254.169.254') },
    );
    expect(reportOf(result)).toMatchObject({ kind: 'tool.denied', outcome: 'failed' });
  });

  it('to another kind of address ends there', async () => {
    const first = await serve(leadTo(() => 'file:///etc/passwd'));
    expect(reportOf(await fetchWith(allowed(first), { url: first })).kind).toBe(
      'tool.input_invalid',
    );
  });

  it('without an end is a failure', async () => {
    const first = await serve(leadTo(() => '/again'));
    const report = reportOf(await fetchWith(allowed(first), { url: first }));
    expect(report.message).toContain('more than 5 times');
  });

  it('does not carry a body to another host', async () => {
    let got = '';
    const last = await serve((request, response) => {
      got = request.method ?? '';
      response.end();
    });
    const first = await serve(leadTo(() => last, 307));
    const options = { ...allowed(first, last), methods: ['POST'] as const };
    const result = await fetchWith(options, { url: first, method: 'POST', body: { key: 1 } });
    expect(reportOf(result).kind).toBe('tool.denied');
    expect(got).toBe('');
  });
});

describe('the methods', () => {
  it('are GET alone unless the host says more', async () => {
    const origin = await serve((request, response) => response.end(request.method));
    const post = { url: origin, method: 'POST' };
    expect(reportOf(await fetchWith(allowed(origin), post)).kind).toBe('tool.input_invalid');
    const result = await fetchWith(
      { ...allowed(origin), methods: ['GET', 'POST'] },
      { ...post, body: 'x' },
    );
    expect(result).toMatchObject({ ok: true, output: { body: 'POST' } });
  });

  it('decide whether the tool writes', async () => {
    const describes = async (options: FetchOptions): Promise<object | undefined> => {
      const reading = await readCallable('http_fetch', createFetchTool(options), 'the host');
      return reading.type === 'callable' ? reading.callable.describes : undefined;
    };
    expect(await describes({ allow: [] })).toMatchObject({ writes: false, isIdempotent: true });
    expect(await describes({ allow: [], methods: ['POST'] })).toMatchObject({
      writes: true,
      isIdempotent: false,
    });
  });
});

describe('a request that writes', () => {
  const WRITING = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
  const outcomeAt = async (method: string, status: number): Promise<string> => {
    const origin = await serve((_, response) => response.writeHead(status).end());
    const options = { ...allowed(origin), methods: ['GET', 'HEAD', ...WRITING] as const };
    return reportOf(await fetchWith(options, { url: origin, method })).outcome;
  };

  it.each(WRITING)(
    '%s has an unknown outcome when a gateway responds for the server',
    async (method) => {
      for (const status of [408, 502, 503, 504, 520, 524, 599])
        expect(await outcomeAt(method, status)).toBe('unknown');
      for (const status of [400, 404, 409, 422, 429, 500, 501])
        expect(await outcomeAt(method, status)).toBe('failed');
    },
  );

  it.each([
    ['is too long', 'internal.output_too_large', 'text/plain', 'x'.repeat(2000)],
    ['is broken', 'tool.output_malformed', 'application/json', '{"id":'],
    ['is no text', 'tool.output_malformed', 'image/png', 'x'],
    ['cannot be unpacked', 'tool.output_malformed', 'text/plain', 'x', 'zstd'],
  ])(
    'has an unknown outcome when it was accepted and the response %s',
    async (...[, kind, type, body, packed]) => {
      const origin = await serve((_, response) =>
        response
          .writeHead(200, { 'content-type': type, 'content-encoding': packed ?? 'identity' })
          .end(body),
      );
      const options = { ...allowed(origin), methods: ['GET', ...WRITING] as const, maxBytes: 1000 };
      for (const method of WRITING)
        expect(reportOf(await fetchWith(options, { url: origin, method }))).toMatchObject({
          kind,
          outcome: 'unknown',
        });
      expect(reportOf(await fetchWith(options, { url: origin }))).toMatchObject({
        kind,
        outcome: 'failed',
      });
    },
  );

  it('has an unknown outcome; a request that reads has not', async () => {
    for (const method of ['GET', 'HEAD']) expect(await outcomeAt(method, 504)).toBe('failed');
  });

  it('carries its key, the same at each attempt, and one that reads has none', async () => {
    const keys: unknown[] = [];
    const origin = await serve((request, response) => {
      keys.push(request.headers['idempotency-key']);
      response.end();
    });
    const options = { ...allowed(origin), methods: ['GET', ...WRITING] as const };
    for (const attempt of [0, 1])
      await fetchWith(
        options,
        { url: origin, method: 'POST' },
        { context: { idempotencyKey: 'k', attempt } },
      );
    await fetchWith(options, { url: origin, method: 'GET' });
    expect(keys).toEqual(['k', 'k', undefined]);
  });

  it.each([307, 308])('is sent once when the response is HTTP %i', async (status) => {
    const requests: unknown[] = [];
    const origin = await serve((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.writeHead(status, { location: '/second?key=1' }).end();
    });
    const options = { ...allowed(origin), methods: ['GET', ...WRITING] as const };
    for (const method of WRITING) {
      const result = await fetchWith(options, { url: `${origin}/first`, method });
      expect(reportOf(result)).toMatchObject({
        kind: 'tool.failed',
        outcome: 'failed',
        retryable: false,
        details: { status, location: `${origin}/second` },
      });
    }
    expect(requests).toEqual(WRITING.map((method) => `${method} /first`));
  });

  it.each([
    ['cannot be had', '/page', 504],
    ['is not there', '/page', 404],
    ['is nowhere', 'http://', 0],
    ['is none of the web', 'file:///etc/passwd', 0],
    ['may not be asked', 'http://other.test/', 0],
    ['leads on for ever', '/', 303],
    ['refuses connections', 'http://127.0.0.1:1/', 0],
  ])('keeps its unknown outcome when the page that it leads to %s', async (_, location, status) => {
    let posts = 0;
    const origin = await serve((request, response) => {
      if (request.method === 'POST') posts++;
      const isPage = request.url === '/page';
      response.writeHead(isPage ? status : 303, { location }).end();
    });
    const options = {
      ...allowed(origin, 'http://127.0.0.1:1'),
      methods: ['GET', 'POST'] as const,
    };
    const result = await fetchWith(options, { url: origin, method: 'POST', body: 'x' });
    expect(reportOf(result).outcome).toBe('unknown');
    expect(posts).toBe(1);
  });
});

describe('a write that is answered with a redirect to nowhere', () => {
  it.each([301, 302, 303])('has an unknown outcome: HTTP %i', async (status) => {
    const origin = await serve((_, response) => void response.writeHead(status).end());
    const options = { ...allowed(origin), methods: ['GET', 'POST'] as const };
    const result = await fetchWith(options, { url: origin, method: 'POST', body: 'x' });
    const open = { kind: 'tool.failed', category: 'ambiguous', outcome: 'unknown' };
    expect(reportOf(result)).toMatchObject(open);
    expect(reportOf(await fetchWith(options, { url: origin })).outcome).toBe('failed');
  });
});

describe('an entry of the list', () => {
  it.each([
    ['example.com', 'https://example.com/a', true],
    ['example.com', 'https://example.com./a', true],
    ['example.com', 'http://example.com', false],
    ['example.com', 'https://example.com:8443', false],
    ['example.com:8443', 'https://example.com:8443', true],
    ['example.com', 'https://api.example.com', false],
    ['*.example.com', 'https://api.example.com', true],
    ['*.example.com', 'https://a.b.example.com', true],
    ['*.example.com', 'https://example.com', false],
    ['*.example.com', 'https://evilexample.com', false],
    ['example.com', 'https://example.com.evil.test', false],
    ['http://example.com', 'http://EXAMPLE.com', true],
  ])('%s for %s: %s', (entry, url, is) => {
    expect(createAllowList([entry])(new URL(url))).toBe(is);
  });

  it.each(['', '*', '*.*.com', 'ftp://x', 'example.com/path', 'https://a@b'])(
    'is refused: %o',
    (entry) => {
      expect(() => createAllowList([entry])).toThrow('not a host that can be allowed');
    },
  );
});

describe('an address', () => {
  it.each(['93.184.215.14', '1.1.1.1', '2606:4700::1111'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each(
    `0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.31.0.1 192.168.1.1 198.19.0.1 224.0.0.1
     255.255.255.255 :: ::1 ::ffff:8.8.8.8 64:ff9b::808:808 fe80::1 fc00::1 fd00:ec2::254 ff02::1 2001::1
     2002:7f00:1:: 2001:db8::1 nonsense`.split(/\s+/),
  )('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});
