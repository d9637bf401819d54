import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyReport, STAMP } from './arbitraries.cases.ts';
import { buildReport } from './build.ts';
import { RUNTIME_KINDS, CATALOG } from '../catalog/catalog.ts';
import { DOMAIN_ROW } from '../catalog/domain-row.ts';
import { exitCode, forModel, forPerson, forPublic, httpStatus } from './audiences.ts';
import type { ErrorReport, ReportDraft } from './report.ts';
import { reportSchema } from './report-schema.ts';

const built = (draft: Partial<ReportDraft>): ErrorReport =>
  buildReport({ kind: 'order.missing', message: 'No order', ...draft }, { stamp: STAMP });

describe('what a person sees', () => {
  it('is the whole report, and still a valid one', () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        const shown = forPerson(report);
        expect(Object.keys(shown)).toEqual(expect.arrayContaining(Object.keys(report)));
        expect(Object.keys(shown)).toHaveLength(Object.keys(report).length);
        expect(shown).toMatchObject({
          kind: report.kind,
          category: report.category,
          retryable: report.retryable,
        });
        expect(reportSchema.safeParse(shown).error?.issues ?? []).toEqual([]);
      }),
    );
  });

  it('holds no path of the host, down to the last cause', () => {
    const path = '/home/alice/shop/a.ts';
    const report = built({
      details: { [path]: [path] },
      cause: built({ message: path, location: { file: path } }),
    });
    expect(JSON.stringify(report)).toContain('alice');
    expect(JSON.stringify(forPerson(report))).not.toContain('alice');
  });
});

describe('what a language model sees', () => {
  it('is the kind, the message and whether a retry can help', () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        expect(Object.keys(forModel(report))).toEqual(['kind', 'message', 'retryable']);
      }),
    );
  });
});

describe('what the public sees', () => {
  const PUBLIC = [
    'id',
    'kind',
    'category',
    'domain',
    'retryable',
    'title',
    'message',
    'action',
    'location',
    'retryAfterMs',
  ];

  it('is on the allow-list, which has neither details nor files', () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        const shown = forPublic(report);
        expect(PUBLIC).toEqual(expect.arrayContaining(Object.keys(shown)));
        expect(shown.location ?? {}).not.toHaveProperty('file');
      }),
    );
  });

  it.each([
    'call.failed',
    'tool.failed',
    'internal.script_error',
    'sandbox.runtime',
    'agent.load_failed',
    'extension.lifecycle',
    'internal.unexpected',
  ])('is the title of %s, because its message may quote foreign text', (kind) => {
    const report = built({ kind, message: 'said by a script' });
    expect(forPublic(report).message).toBe(report.title);
    expect(forPublic(report, { disclosure: 'verbose' }).message).toBe('said by a script');
  });

  it('is the message where Errand or an author wrote it', () => {
    expect(forPublic(built({})).message).toBe('No order');
    expect(
      forPublic(built({ kind: 'provider.auth', message: 'OpenAI does not accept the API key.' }))
        .message,
    ).toBe('OpenAI does not accept the API key.');
  });

  it('has details on request, without host paths', () => {
    const report = built({ details: { file: '/home/alice/a.ts', id: 7 } });
    expect(forPublic(report, { disclosure: 'verbose' }).details).toEqual({ file: '…/a.ts', id: 7 });
  });
});

it('statuses and exit codes are those of the catalog', () => {
  for (const kind of RUNTIME_KINDS) {
    expect(httpStatus(built({ kind }))).toBe(CATALOG[kind].httpStatus);
    expect(exitCode(built({ kind }))).toBe(CATALOG[kind].exitCode);
  }
  expect(httpStatus(built({}))).toBe(DOMAIN_ROW.httpStatus);
  expect(exitCode(built({}))).toBe(DOMAIN_ROW.exitCode);
});
