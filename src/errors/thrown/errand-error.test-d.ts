/** Code that the compiler must accept or refuse; checked by `tsc`, never run. */
import { failure, isKind, raise, type DetailsOf, type ErrandError } from './errand-error.ts';
import type { JsonObject } from '../support/safe-json.ts';
import type { Kind } from '../catalog/kinds.ts';
import type { ErrorReport } from '../report/report.ts';

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function expectTrue<_T extends true>(): void;

declare module '../catalog/kind-details.ts' {
  interface KindDetails {
    'shop.order.missing': { readonly id: number };
  }
}

declare const anything: unknown;
declare const report: ErrorReport;
declare const error: Error;
declare const name: string;

// authors may use kinds of their own, known ahead or not
expectTrue<Equal<ReturnType<typeof makeOne>, ErrandError<'external.git.drift'>>>();
function makeOne() {
  return failure('external.git.drift', 'It drifted', { head: 'abc' });
}
failure(name, 'known at run time');
failure(`external.${name}`, 'known in part');
failure('shop.order.missing', 'No order', { id: 7 });

// @ts-expect-error a kind of the runtime
failure('provider.rate_limited', 'm');
// @ts-expect-error a name under a prefix of the runtime
failure('provider.my_own', 'm');
// @ts-expect-error the same, in part known
failure(`internal.${name}`, 'm');
// @ts-expect-error no dot in it
failure('order', 'm');
// @ts-expect-error not lowercase
failure('Order.Missing', 'm');
// @ts-expect-error details that the kind does not have
failure('shop.order.missing', 'No order', { id: 'seven' });

// nothing runs after raise, so it narrows as a throw does
declare const found: string | undefined;
function findOne(): string {
  if (found === undefined) raise('shop.order.missing', 'No order', { id: 7 });
  return found;
}
void findOne;
// @ts-expect-error a kind of the runtime
void (() => raise('provider.rate_limited', 'm'));

// kinds narrow details, on errors and on reports alike
if (isKind(report, 'provider.rate_limited')) {
  expectTrue<Equal<typeof report.kind, 'provider.rate_limited'>>();
  const scope: 'request' | 'model' | 'key' | 'account' | 'provider' | undefined =
    report.details?.scope;
  void scope;
}
if (isKind(error, 'group.failed')) {
  const counts: { readonly [kind: string]: number } | undefined = error.report.details?.counts;
  void [counts, error.details?.members];
}
if (isKind(anything, 'shop.order.missing')) {
  const id: number | undefined = anything.details?.id;
  expectTrue<Equal<typeof anything.kind, 'shop.order.missing'>>();
  void id;
  // @ts-expect-error it may be a report, which has none
  void anything.report;
}
if (isKind(report, 'provider.*')) expectTrue<Equal<typeof report.kind, `provider.${string}`>>();

expectTrue<Equal<DetailsOf<'limit.budget'>['spent'], number>>();
expectTrue<Equal<DetailsOf<'external.git.drift'>, JsonObject>>();
expectTrue<Equal<ErrandError['kind'], Kind>>();

// @ts-expect-error a report cannot be changed
report.message = 'other';
// @ts-expect-error nor can what is in it
report.action.detail = 'other';
