import { describe, expect, it } from 'vitest';
import { BAD_INPUTS } from './bad-input.cases.ts';
import type { ErrorReport } from './report.ts';
import { expectValid } from './valid-report.cases.ts';
import { ownMs } from '../../test/own-time.ts';

/** The bound of the design. The bench measures it alone; here the fastest of a few tries counts. */
const LIMIT_MS = 50;

describe.each(BAD_INPUTS)('$name', ({ make, use }) => {
  it(`gives a bounded, valid report in under ${LIMIT_MS} ms`, () => {
    const tries = [1, 2, 3].map(() => {
      const input = make();
      const start = ownMs();
      const report = use(input);
      return { report, ms: ownMs() - start };
    });
    expectValid(tries[0]?.report as ErrorReport);
    expect(Math.min(...tries.map(({ ms }) => ms))).toBeLessThan(LIMIT_MS);
  });
});

it.each(['a chain of 10,000 errors of ours', 'a chain of 10,000 reports as data'])(
  'the root of %s is kept',
  (name) => {
    const { make, use } = BAD_INPUTS.find((input) => input.name === name) ?? {};
    expect(rootOf(use?.(make?.()) as ErrorReport).message).toBe('root');
  },
);

function rootOf(report: ErrorReport): ErrorReport {
  return report.cause === undefined ? report : rootOf(report.cause);
}
