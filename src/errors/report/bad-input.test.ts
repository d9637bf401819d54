import { describe, expect, it } from 'vitest';
import { BAD_INPUTS } from './bad-input.cases.ts';
import type { ErrorReport } from './report.ts';
import { expectValid } from './valid-report.cases.ts';
import { expectLinear } from '../../../test/own-time.ts';

describe.each(BAD_INPUTS)('$name', ({ make, use }) => {
  it('gives a bounded, valid report', () => {
    expectValid(use(make()));
  });

  // the bench measures how long each takes
  it('costs as much more as it is longer', () => {
    expectLinear((share) => use(make(share)), 1, 1 / 8);
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
