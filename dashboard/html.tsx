/**
 * The page of a run as one file: the same components, without a script and without a request. The
 * command `errand show RUN --html FILE` writes it.
 */
import { renderToString } from 'preact-render-to-string';
import { visible } from '../src/errors/support/printable.ts';
import { UTC } from './text/time.ts';
import { Failures } from './view/run/failures.tsx';
import type { RunPageData } from './view/run/page-data.ts';
import { RunReport, runHeading } from './view/run/run-report.tsx';
import { AllSteps } from './view/run/step-drawer.tsx';
import { SurroundingsContext } from './view/surroundings.ts';

/** The styles of the page, which the build inserts. */
declare const DASHBOARD_STYLES: string;

/** Loads and runs nothing; only its own styles apply. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export function runHtml(page: RunPageData, nowMs: number): string {
  const title = `${page.status} ${runHeading(page)}`;
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={POLICY} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="generator" content="Errand" />
        <title>{title}</title>
        <style dangerouslySetInnerHTML={{ __html: DASHBOARD_STYLES }} />
      </head>
      <body class="file">
        <main id="main">
          <SurroundingsContext.Provider value={{ base: undefined, zone: UTC, nowMs }}>
            <RunReport page={page} Failures={Failures} AllSteps={AllSteps} />
          </SurroundingsContext.Provider>
        </main>
      </body>
    </html>,
  );
  // texts and attributes at once, as pages show them
  return `<!doctype html>${visible(html)}\n`;
}
