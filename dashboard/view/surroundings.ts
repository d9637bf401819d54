/** Surroundings of a view: where its links lead, the zone of its times, and the present time. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { UTC, type ZoneOffset } from '../text/time.ts';

export interface Surroundings {
  /** Stands before the path of each link; undefined in a file, which has nothing to lead to. */
  readonly base: string | undefined;
  readonly zone: ZoneOffset;
  readonly nowMs: number;
  /** Copies a text; absent where nothing can be clicked. */
  readonly copy?: ((text: string) => Promise<boolean>) | undefined;
}

const IN_A_FILE: Surroundings = { base: undefined, zone: UTC, nowMs: 0 };

export const SurroundingsContext = createContext<Surroundings>(IN_A_FILE);

export function useSurroundings(): Surroundings {
  return useContext(SurroundingsContext);
}
