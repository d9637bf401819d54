/** A bounded, valid report of any value in under 50 ms. */
import { BAD_INPUTS, type BadInput } from '../src/errors/report/bad-input.cases.ts';
import { writeReport } from '../src/errors/report/read.ts';
import { elapsedMs, median, type Bench, type Measurement } from './measure.ts';

const LIMIT_MS = 50;
const TRIES = 5;

export const bench: Bench = {
  name: 'bad input: a report of it',
  run: () => BAD_INPUTS.map(measure),
};

function measure({ name, make, use }: BadInput): Measurement {
  const times = Array.from({ length: TRIES }, () => {
    // a new input each time, because an error that already has its report would be fast
    const input = make();
    return elapsedMs(() => use(input));
  });
  // the time only counts if the result is a report
  writeReport(use(make()));
  return { name, ms: median(times), limitMs: LIMIT_MS };
}
