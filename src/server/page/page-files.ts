/**
 * Files of the dashboard as they are sent. They are stored compressed, and read once: together they are
 * smaller than one photograph.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { pageFolder } from './page-folder.ts';

export interface PageFiles {
  /** The page itself, for every address of it; the same text for all of them. */
  readonly html: string;
  readonly htmlTag: string;
  /** By name, below `assets/`. Names have a hash of the content, so a name never changes its content. */
  readonly assets: ReadonlyMap<string, Asset>;
}

export interface Asset {
  readonly type: string;
  readonly br: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** `base` stands before every path. Undefined where the dashboard has not been built. */
export function readPageFiles(base: string): PageFiles | undefined {
  const folder = pageFolder();
  if (folder === undefined) return undefined;
  const html = readFileSync(join(folder, 'index.html'), 'utf8').replaceAll(
    '"./assets/',
    `"${base}/assets/`,
  );
  const names = readdirSync(join(folder, 'assets')).flatMap((name) =>
    name.endsWith('.br') ? [name.slice(0, -'.br'.length)] : [],
  );
  const read = (name: string): Uint8Array<ArrayBuffer> =>
    new Uint8Array(readFileSync(join(folder, 'assets', name)));
  const assets = names.map((name): [string, Asset] => {
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    return [name, { type, br: read(`${name}.br`), gzip: read(`${name}.gz`) }];
  });
  const tag = createHash('sha256').update(html).digest('base64url').slice(0, 27);
  return { html, htmlTag: `"${tag}"`, assets: new Map(assets) };
}

export type Encoding = 'br' | 'gzip' | 'identity';

/** The best encoding that a request accepts; encodings that it does not name are not accepted. */
export function encodingOf(accept: string | null): Encoding {
  const taken = new Map(
    (accept ?? '').split(',').map((part) => {
      const [name = '', ...parameters] = part.trim().toLowerCase().split(';');
      const isRefused = parameters.some((each) => /^\s*q=0(\.0*)?\s*$/.test(each));
      return [name.trim(), !isRefused] as const;
    }),
  );
  const takes = (name: string): boolean => taken.get(name) ?? taken.get('*') ?? false;
  if (takes('br')) return 'br';
  return takes('gzip') ? 'gzip' : 'identity';
}

export function encoded({ br, gzip }: Asset, encoding: Encoding): Uint8Array<ArrayBuffer> {
  switch (encoding) {
    case 'br':
      return br;
    case 'gzip':
      return gzip;
    case 'identity':
      return new Uint8Array(gunzipSync(gzip));
  }
}
