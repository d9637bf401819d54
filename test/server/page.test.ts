/** The files of the dashboard as any client gets them. */
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { builtLauncher } from '../../src/cli/built-errand.cases.ts';
import { embedded, serve } from './served.ts';
import { HELLO } from './workflows.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml' };
const ADDRESSES = [
  '/',
  '/?attention=failed&kind=provider.auth',
  '/runs/abc',
  '/runs/abc?step=each%5B0%5D%2Fone',
  '/runs/abc/repair',
  '/gates',
  '/workflows',
  '/workflows/hello',
  '/kinds/provider.auth',
];

describe('the page', () => {
  it('is at each of its addresses, without a token, under a policy without exceptions', async () => {
    const served = await serve({ files: { 'hello.yaml': HELLO } });
    const first = await served.ask('/', { token: null });
    expect(first.text).toContain('<div id="app">');
    for (const address of ADDRESSES) {
      const { status, headers, text } = await served.ask(address, { token: null });
      expect([address, status, text]).toEqual([address, 200, first.text]);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
      });
    }
    const tag = first.headers.get('etag') ?? '';
    const again = await served.ask('/gates', { token: null, headers: { 'if-none-match': tag } });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('is also what a browser gets where nothing is, and a program gets a problem document', async () => {
    const served = await serve({ files: { 'hello.yaml': HELLO } });
    const page = await served.ask('/nowhere', { token: null, headers: BROWSER });
    expect([page.status, page.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ]);
    const problem = await served.ask('/nowhere');
    expect([problem.status, problem.json.kind]).toEqual([404, 'request.not_found']);
    const api = await served.ask('/v1/nowhere', { headers: BROWSER });
    expect([api.status, api.json.kind]).toEqual([404, 'request.not_found']);
    const posted = await served.ask('/gates', { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('loads its files compressed as they are stored, and keeps them for good', async () => {
    const served = await serve({ files: { 'hello.yaml': HELLO } });
    const { text } = await served.ask('/runs/abc', { token: null });
    const files = Array.from(text.matchAll(/"(\/assets\/[^"]+)"/g), ([, path = '']) => path);
    expect(files.map((path) => path.slice(path.lastIndexOf('.'))).toSorted()).toEqual([
      '.css',
      '.js',
    ]);
    for (const path of files) {
      const read = async (encoding: string): Promise<Buffer> => {
        const answer = await served.encoded(path, encoding);
        expect(answer.headers).toMatchObject({
          'cache-control': 'public, max-age=31536000, immutable',
          vary: 'Accept-Encoding',
          'x-content-type-options': 'nosniff',
        });
        expect(answer.headers['content-encoding'] ?? 'identity').toBe(encoding);
        return answer.body;
      };
      const plain = await read('identity');
      expect(brotliDecompressSync(await read('br')).equals(plain)).toBe(true);
      expect(gunzipSync(await read('gzip')).equals(plain)).toBe(true);
    }
    const gone = await served.ask('/assets/index-00000000.js', { token: null });
    expect([gone.status, gone.json.kind]).toEqual([404, 'request.not_found']);
  });

  it('knows the base path of its host', async () => {
    const { ask, server } = embedded({ 'hello.yaml': HELLO }, { basePath: '/errand' });
    const { text, status } = await ask('/runs/abc');
    expect(status).toBe(200);
    // some hosts take a slash at the end away
    for (const first of ['', '/', '?attention=failed'])
      expect([first, (await ask(first)).status]).toEqual([first, 200]);
    expect((await ask('/gates/')).status).toBe(404);
    expect(text).not.toContain('"./assets/');
    // from the sources there may be no build, and then the page says so
    if (text.includes('id="app"')) expect(text).toContain('"/errand/assets/');
    else expect(text).toContain('npm run build');
    await server.close();
  });

  it('takes at most 400 kB of the package', () => {
    const folder = join(builtLauncher(), '../../dist/dashboard');
    const files = globSync('**/*.*', { cwd: folder });
    const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
    expect(files.length).toBeGreaterThan(4);
    expect(bytes).toBeLessThanOrEqual(400_000);
  });
});
