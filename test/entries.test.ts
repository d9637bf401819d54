/** The values that each entry of the package exports: to add one or to take one away is a decision. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as aiSdk from '../src/ai-sdk/index.ts';
import * as browser from '../src/browser.ts';
import * as classifier from '../src/classify.ts';
import * as errors from '../src/errors/index.ts';
import * as root from '../src/index.ts';
import * as server from '../src/server/index.ts';
import * as stores from '../src/stores/index.ts';
import * as testing from '../src/rehearsal/index.ts';
import * as temporal from '../src/temporal.ts';
import * as define from '../src/workflow/authoring/define.ts';

const ROOT_VALUES =
  `ErrandError catalogRow createResilience extension failure guard isKind openErrand
  partial raise renderJson renderLine renderMarkdown renderPanel renderProblem reportFrom tool
  withResilience workflow`.split(/\s+/);

const MOST_AT_THE_ROOT = 20;

const VALUES: Readonly<Record<string, readonly [object, readonly string[]]>> = {
  '.': [root, ROOT_VALUES],
  './ai-sdk': [aiSdk, ['errandMiddleware', 'resilientEmbeddingModel', 'resilientModel']],
  './classify': [classifier, ['classify', 'extendClassify', 'reportFromFailure']],
  './errors': [
    errors,
    `CATALOG ErrandError RUNTIME_KINDS buildReport catalogRow createRedactor crossBoundary exitCode
    failure forModel forPerson forPublic httpStatus isKind isKindName isReservedKind isRuntimeKind
    matchesKind raise readReport rebuild renderJson renderLine renderMarkdown renderPanel
    renderProblem toInternalRecord toReport writeReport`.split(/\s+/),
  ],
  './server': [server, ['createErrandServer']],
  './stores': [stores, ['openMemoryStore', 'openPostgresStore', 'openSqliteStore', 'storeCases']],
  './temporal': [
    temporal,
    ['fromTemporalFailure', 'startWorker', 'temporalConfig', 'toTemporalFailure'],
  ],
  './testing': [testing, ['CALM', 'STORMY', 'playSimModel', 'rehearse', 'simulate', 'storeCases']],
  './workflow': [define, ['workflow']],
};

describe('the package', () => {
  it('has these entries', () => {
    const manifest = JSON.parse(
      readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
    ) as { readonly exports: object };
    const code = Object.keys(manifest.exports).filter((entry) => !entry.endsWith('.json'));
    expect(code.toSorted()).toEqual(Object.keys(VALUES).toSorted());
  });

  it.each(Object.entries(VALUES))('exports these values from %s', (_, [entry, values]) => {
    expect(Object.keys(entry).toSorted()).toEqual(values.toSorted());
  });

  it('has few values at its root, and all but the engine in a browser', () => {
    expect(ROOT_VALUES.length).toBeLessThanOrEqual(MOST_AT_THE_ROOT);
    expect(Object.keys(browser).toSorted()).toEqual(
      ROOT_VALUES.filter((value) => value !== 'openErrand').toSorted(),
    );
  });
});
