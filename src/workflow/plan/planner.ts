/** The planner's view of a file: positions, spelling and neighbouring files. */
import type { Path } from './pointer.ts';
import type { PlanLocation } from './route.ts';

export interface Planner {
  readonly location: (path: Path) => PlanLocation;
  /** `1.10` as it is written, where the value is the number 1.1. */
  readonly written: (value: string | number | boolean, path: Path) => string;
  /** Resolves a path that the file names. */
  readonly resolve: (path: string) => string;
  /** `runtime.provider`, for models that name none. */
  readonly provider: string | undefined;
}
