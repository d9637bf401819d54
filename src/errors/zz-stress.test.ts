import fc from 'fast-check';
import { it } from 'vitest';
import { anyThrown, anyDraft, anyReport, STAMP } from './arbitraries.cases.ts';
import { toReport } from './to-report.ts';
import { buildReport } from './build.ts';
import { expectValid } from './valid-report.cases.ts';
it('thrown', { timeout: 600_000 }, () => { fc.assert(fc.property(anyThrown, (make) => expectValid(toReport(make()))), { numRuns: 6000 }); });
it('drafts', { timeout: 600_000 }, () => { fc.assert(fc.property(anyDraft, (d) => expectValid(buildReport(d, { stamp: STAMP }))), { numRuns: 6000 }); });
it('reports', { timeout: 600_000 }, () => { fc.assert(fc.property(anyReport, (d) => expectValid(d)), { numRuns: 3000 }); });
