/** Renders the page of a run as one file, with the components that the dashboard is made of. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { RunPage } from '../../history/run-page.ts';
import { pageFolder } from '../../server/page/page-folder.ts';

interface Renderer {
  readonly runHtml: (page: RunPage, nowMs: number) => string;
}

/** Rejects with `extension.missing` where the dashboard has not been built. */
export async function runHtml(page: RunPage, nowMs: number): Promise<string> {
  const folder = pageFolder();
  if (folder === undefined)
    throw new ErrandError({
      kind: 'extension.missing',
      message: 'The dashboard has not been built in this checkout',
      action: {
        kind: 'install_package',
        detail: 'Run npm run build in the checkout of Errand, then the command again.',
      },
    });
  // built together with this file, from the same sources
  const renderer = (await import(pathToFileURL(join(folder, 'html.js')).href)) as Renderer;
  return renderer.runHtml(page, nowMs);
}
