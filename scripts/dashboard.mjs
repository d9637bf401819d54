/**
 * Builds the dashboard into a folder (default: `dist`): `dashboard/` with the files that the server
 * sends, compressed, and `dashboard/html.js`, which writes the page of a run as one file.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const [DIST = join(ROOT, 'dist')] = process.argv.slice(2);
const SOURCE = join(ROOT, 'dashboard');
const OUT = join(DIST, 'dashboard');
const configFile = join(SOURCE, 'vite.config.ts');

await build({ configFile, build: { outDir: OUT } });
const assets = join(OUT, 'assets');
const styles = readdirSync(assets)
  .filter((name) => name.endsWith('.css'))
  .map((name) => readFileSync(join(assets, name), 'utf8'));
for (const name of readdirSync(assets)) {
  const path = join(assets, name);
  const bytes = readFileSync(path);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9, memLevel: 9 }));
  rmSync(path);
}

// the same components without a browser, with the same styles
await build({
  configFile,
  define: { DASHBOARD_STYLES: JSON.stringify(styles.join('\n')) },
  ssr: { noExternal: true },
  build: {
    ssr: join(SOURCE, 'html.tsx'),
    outDir: OUT,
    emptyOutDir: false,
    minify: true,
    rolldownOptions: { output: { entryFileNames: 'html.js' } },
  },
});
