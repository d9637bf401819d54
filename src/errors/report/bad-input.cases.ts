/** Inputs that nobody should send, and how each becomes a report. The tests and the bench use them. */
import { ErrandError, failure } from '../thrown/errand-error.ts';
import { readReport } from './read.ts';
import type { ErrorReport } from './report.ts';
import { toReport } from '../thrown/to-report.ts';

export interface BadInput {
  readonly name: string;
  /** Makes the input of that name, or one that has only this share of its size. */
  readonly make: (share?: number) => unknown;
  readonly use: (input: unknown) => ErrorReport;
}

const DEEP = 10_000;
const MEGABYTES_10 = 10 * 1024 * 1024;

const report = (fields: object): object => ({ v: 1, kind: 'a.b', category: 'domain', ...fields });
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: Math.ceil(count) }, (_, index) => make(index));
const filled = (character: string, share: number): string =>
  character.repeat(Math.ceil(MEGABYTES_10 * share));
const filler = 'x'.repeat(1000);

/** Chains are built from the root outward. */
function chain(
  share: number,
  wrap: (inner: unknown, depth: number) => unknown,
  root: unknown,
): unknown {
  return times(DEEP * share, (depth) => depth).reduce<unknown>(wrap, root);
}

const read = (value: unknown): ErrorReport => readReport(value).report;
const thrown = (value: unknown): ErrorReport => toReport(value);

export const BAD_INPUTS: readonly BadInput[] = [
  { name: 'null', make: () => null, use: thrown },
  { name: 'a message of 10 MB', make: (share = 1) => new Error(filled('m', share)), use: thrown },
  {
    name: 'a chain of 10,000 errors',
    make: (share = 1) =>
      chain(share, (cause, depth) => new Error(`at ${depth}`, { cause }), new Error('root')),
    use: thrown,
  },
  {
    name: 'a chain of 10,000 errors of ours',
    make: (share = 1) =>
      chain(
        share,
        (cause, depth) => failure('wrap.per', `at ${depth} ${filler}`, { filler }, { cause }),
        new ErrandError({ kind: 'provider.rate_limited', message: 'root' }),
      ),
    use: thrown,
  },
  {
    name: 'a chain of 10,000 reports as data',
    make: (share = 1) =>
      chain(share, (cause) => report({ message: filler, cause }), report({ message: 'root' })),
    use: read,
  },
  {
    name: 'a report of 10 MB in one string of its details',
    make: (share = 1) => report({ message: 'm', details: { text: filled('x', share) } }),
    use: read,
  },
  {
    name: 'a report of 10 MB in the lists of its details',
    make: (share = 1) =>
      report({ message: 'm', details: { list: times(10_000 * share, () => ({ a: [filler] })) } }),
    use: read,
  },
  {
    name: 'a report of 10 MB in attempts and frames',
    make: (share = 1) =>
      report({
        message: 'm',
        attempts: times(5000 * share, (number) => ({ number, kind: 'a.b', message: filler })),
        frames: times(5000 * share, () => ({ node: filler })),
      }),
    use: read,
  },
  {
    name: 'a report of 10 MB in unknown fields',
    make: (share = 1) =>
      report({
        message: 'm',
        ...Object.fromEntries(times(10_000 * share, (n) => [`f${n}`, filler])),
      }),
    use: read,
  },
  {
    name: 'a group of 10 MB',
    make: (share = 1) =>
      report({
        kind: 'group.failed',
        message: 'm',
        details: {
          members: Object.fromEntries(
            times(5000 * share, (n) => [
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
    make: (share = 1) => failure('a.b', 'm', new Uint8Array(MEGABYTES_10 * share)),
    use: thrown,
  },
  {
    name: 'an AggregateError of 100,000',
    make: (share = 1) =>
      new AggregateError(
        times(100_000 * share, (n) => `error ${n}`),
        'many',
      ),
    use: thrown,
  },
];

function refuse(): never {
  throw new Error('hands off');
}
