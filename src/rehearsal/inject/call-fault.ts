/** Faults of single calls, as plans write them: counted per path, by the executions of an effect. */
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { SimulatedAnswer } from '../../workflow/plan/plan.ts';
import type { Place } from '../places/atlas.ts';
import type { StruckCall, Tries } from './strike.ts';

export interface CallFault {
  readonly matches: (request: EffectRequest, place: Place) => boolean;
  readonly tries: Tries;
  /** The fault; `calm` is the reply of an undisturbed model. */
  readonly call: (
    request: EffectRequest,
    calm: SimulatedAnswer | undefined,
  ) => StruckCall | SimulatedAnswer | undefined;
  /** The kind that it fails with; undefined where a classifier decides. */
  readonly kind?: string;
  /** The process dies while it runs. */
  readonly kills?: boolean;
}

/** Counts calls of each path for each fault. */
export class CallFaults {
  readonly #faults: readonly CallFault[];
  readonly #counts = new Map<string, number>();

  constructor(faults: readonly CallFault[]) {
    this.#faults = faults;
  }

  /** The fault of this call, if any; every matching fault counts it. */
  due(request: EffectRequest, place: Place): CallFault | undefined {
    let found: CallFault | undefined;
    for (const [index, fault] of this.#faults.entries()) {
      if (!fault.matches(request, place)) continue;
      const key = `${index} ${request.path}`;
      const count = (this.#counts.get(key) ?? 0) + 1;
      this.#counts.set(key, count);
      if (count >= fault.tries.from && count <= fault.tries.to) found ??= fault;
    }
    return found;
  }
}
