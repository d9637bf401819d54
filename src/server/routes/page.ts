/**
 * The dashboard: one page for all of its addresses, and the files that it loads. They need no
 * token, because they hold no data. Without a build of it, the page names the API.
 */
import { z } from '@hono/zod-openapi';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { ServerCore } from '../core.ts';
import { isUnchanged } from '../http/answer.ts';
import type { Route } from '../http/http-route.ts';
import { encoded, encodingOf, readPageFiles, type PageFiles } from '../page/page-files.ts';

/** Nothing inline, nothing from another host, and no frame around it. */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};
const HTML = { 'content-type': 'text/html; charset=utf-8' };
const FOREVER = 'public, max-age=31536000, immutable';

/** Addresses of the page. What follows a `?` is for the page alone. */
const ADDRESSES: Readonly<Record<string, string>> = {
  getPage: '/',
  getRunPage: '/runs/{run}',
  getRepairPage: '/runs/{run}/repair',
  getGatesPage: '/gates',
  getWorkflowsPage: '/workflows',
  getWorkflowPage: '/workflows/{name}',
  getKindPage: '/kinds/{kind}',
};

export type Page = (request: Request, status?: number) => Response;

export function dashboardPage({ base }: Pick<ServerCore, 'base'>): {
  readonly page: Page;
  readonly routes: readonly Route[];
} {
  let files: PageFiles | undefined;
  const read = (): PageFiles | undefined => (files ??= readPageFiles(base));
  const page: Page = (request, status = 200) => {
    const { html, htmlTag } = read() ?? withoutBuild(base);
    const headers = { ...PAGE_HEADERS, 'cache-control': 'no-cache', etag: htmlTag };
    if (status === 200 && isUnchanged(request, htmlTag))
      return new Response(null, { status: 304, headers });
    return new Response(html, { status, headers: { ...HTML, ...headers } });
  };
  const addresses = Object.entries(ADDRESSES).map(([operationId, path]): Route => ({
    operationId,
    method: 'get',
    path,
    summary: 'The page',
    query: z.looseObject({}),
    answers: { 200: { description: 'The page.' } },
    handle: ({ raw }) => page(raw),
  }));
  return { page, routes: [...addresses, assetRoute(read)] };
}

function assetRoute(read: () => PageFiles | undefined): Route {
  return {
    operationId: 'getAsset',
    method: 'get',
    path: '/assets/{file}',
    summary: 'A file of the page',
    answers: { 200: { description: 'The file.' } },
    handle: ({ raw, params }) => {
      const asset = read()?.assets.get(params['file'] ?? '');
      if (asset === undefined)
        throw new ErrandError({
          kind: 'request.not_found',
          message: 'The page has no such file; reload it',
        });
      const encoding = encodingOf(raw.headers.get('accept-encoding'));
      return new Response(encoded(asset, encoding), {
        headers: {
          ...PAGE_HEADERS,
          'content-type': asset.type,
          'cache-control': FOREVER,
          vary: 'Accept-Encoding',
          ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
        },
      });
    },
  };
}

function withoutBuild(base: string): Pick<PageFiles, 'html' | 'htmlTag'> {
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Errand</title></head>
<body>
<h1>Errand</h1>
<p>This server runs workflows. Its API is described at <a href="${base}/openapi.json">${base}/openapi.json</a>.</p>
<p>Send a token as <code>Authorization: Bearer TOKEN</code>.</p>
<p>The dashboard has not been built here: <code>npm run build</code> does it.</p>
</body>
</html>
`;
  return { html, htmlTag: '"without-build"' };
}
