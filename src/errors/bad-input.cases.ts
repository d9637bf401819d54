/** Inputs that nobody should send, and how each becomes a report. The tests and the bench use them. */
import { ErrandError, raise } from './errand-error.ts';
import { readReport } from './read.ts';
import type { ErrorReport } from './report.ts';
import { toReport } from './to-report.ts';

export interface BadInput {
  readonly name: string;
  /** Not timed. */
  readonly make: () => unknown;
  readonly use: (input: unknown) => ErrorReport;
}

const DEEP = 10_000;
const MEGABYTES_10 = 10 * 1024 * 1024;

const report = (fields: object): object => ({ v: 1, kind: 'a.b', category: 'domain', ...fields });
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const filler = 'x'.repeat(1000);

/** Chains are built from the root outward. */
function chain(wrap: (inner: unknown, depth: number) => unknown, root: unknown): unknown {
  return times(DEEP, (depth) => depth).reduce<unknown>(wrap, root);
}

const read = (value: unknown): ErrorReport => readReport(value).report;
const thrown = (value: unknown): ErrorReport => toReport(value);

export const BAD_INPUTS: readonly BadInput[] = [
  { name: 'null', make: () => null, use: thrown },
  { name: 'a message of 10 MB', make: () => new Error('m'.repeat(MEGABYTES_10)), use: thrown },
  {
    name: 'a chain of 10,000 errors',
    make: () => chain((cause, depth) => new Error(`at ${depth}`, { cause }), new Error('root')),
    use: thrown,
  },
  {
    name: 'a chain of 10,000 errors of ours',
    make: () =>
      chain(
        (cause, depth) => raise('wrap.per', `at ${depth} ${filler}`, { filler }, { cause }),
        new ErrandError({ kind: 'provider.rate_limited', message: 'root' }),
      ),
    use: thrown,
  },
  {
    name: 'a chain of 10,000 reports as data',
    make: () => chain((cause) => report({ message: filler, cause }), report({ message: 'root' })),
    use: read,
  },
  {
    name: 'a report of 10 MB in one string of its details',
    make: () => report({ message: 'm', details: { text: 'x'.repeat(MEGABYTES_10) } }),
    use: read,
  },
  {
    name: 'a report of 10 MB in the lists of its details',
    make: () => report({ message: 'm', details: { list: times(10_000, () => ({ a: [filler] })) } }),
    use: read,
  },
  {
    name: 'a report of 10 MB in attempts and frames',
    make: () =>
      report({
        message: 'm',
        attempts: times(5000, (number) => ({ number, kind: 'a.b', message: filler })),
        frames: times(5000, () => ({ node: filler })),
      }),
    use: read,
  },
  {
    name: 'a report of 10 MB in fields nobody knows',
    make: () =>
      report({ message: 'm', ...Object.fromEntries(times(10_000, (n) => [`f${n}`, filler])) }),
    use: read,
  },
  {
    name: 'a group of 10 MB',
    make: () =>
      report({
        kind: 'group.failed',
        message: 'm',
        details: {
          members: Object.fromEntries(
            times(5000, (n) => [
              `m${n}`,
              report({ message: filler, details: { filler, list: [filler] } }),
            ]),
          ),
          counts: { 'a.b': 5000 },
        },
      }),
    use: read,
  },
  {
    name: 'a getter that throws',
    make: () =>
      Object.defineProperties(new Error('x'), { message: { get: refuse }, cause: { get: refuse } }),
    use: thrown,
  },
  {
    name: 'a revoked proxy',
    make: () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    },
    use: thrown,
  },
  {
    name: 'a buffer of 10 MB',
    make: () => raise('a.b', 'm', new Uint8Array(MEGABYTES_10)),
    use: thrown,
  },
  {
    name: 'an AggregateError of 100,000',
    make: () =>
      new AggregateError(
        times(100_000, (n) => `error ${n}`),
        'many',
      ),
    use: thrown,
  },
];

function refuse(): never {
  throw new Error('hands off');
}
