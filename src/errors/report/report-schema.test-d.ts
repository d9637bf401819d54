/** The schema, the table of fields and the type of a report are one; checked by `tsc`, never run. */
import type { CheckedFields, FIELDS } from './fields.ts';
import type { ErrorReport } from './report.ts';
import type { InferredReport } from './report-schema.ts';

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function expectTrue<_T extends true>(): void;

/** Written out, so that two types are compared by their content and not by their construction. */
type Plain<T> = [string] extends [T] ? string : T extends object ? PlainObject<T> : T;
type PlainObject<T> = { readonly [K in keyof T]: Plain<T[K]> };

type Own<T> = Omit<T, 'cause'>;

expectTrue<Equal<Plain<Own<InferredReport>>, Plain<Own<ErrorReport>>>>();
expectTrue<Equal<keyof InferredReport, keyof ErrorReport>>();
expectTrue<Equal<NonNullable<InferredReport['cause']>, ErrorReport>>();
expectTrue<Equal<keyof typeof FIELDS | 'v' | 'cause', keyof ErrorReport>>();
expectTrue<Equal<Own<Omit<ErrorReport, 'v'>>, CheckedFields>>();
