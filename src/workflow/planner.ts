/** What the conversion of a file into a plan asks of whoever knows its text and its neighbours. */
import type { Path } from './path.ts';
import type { Place } from './route.ts';

export interface Planner {
  readonly place: (path: Path) => Place;
  /** `1.10` as it is written, where the value is the number 1.1. */
  readonly written: (value: string | number | boolean, path: Path) => string;
  /** The file that another file of this workflow means. */
  readonly resolve: (path: string) => string;
  /** `runtime.provider`, for models that name none. */
  readonly provider: string | undefined;
}
