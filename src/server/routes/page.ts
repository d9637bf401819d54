/** The page at `/`: until there is a dashboard, it names the API. Pages need no token; they hold nothing. */
import type { ServerCore } from '../core.ts';
import type { Route } from '../http/route.ts';

/** Nothing inline, nothing from another host, and no frame around it. */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};

export function pageRoutes({ base }: ServerCore): readonly Route[] {
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Errand</title></head>
<body>
<h1>Errand</h1>
<p>This server runs workflows. Its API is described at <a href="${base}/openapi.json">${base}/openapi.json</a>.</p>
<p>Send a token as <code>Authorization: Bearer TOKEN</code>.</p>
</body>
</html>
`;
  return [
    {
      operationId: 'getPage',
      method: 'get',
      path: '/',
      summary: 'The page',
      answers: { 200: { description: 'The page.' } },
      handle: () => new Response(html, { headers: PAGE_HEADERS }),
    },
  ];
}
