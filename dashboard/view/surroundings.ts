/** Surroundings of a view: the base of its links, the zone of its times, and the current time. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { UTC, type ZoneOffset } from '../text/time.ts';

export interface Surroundings {
  /** The prefix of each link's path; undefined in a file, which has no pages to link to. */
  readonly base: string | undefined;
  readonly zone: ZoneOffset;
  readonly nowMs: number;
  /** Copies a text; absent if nothing can be clicked. */
  readonly copy?: ((text: string) => Promise<boolean>) | undefined;
}

const IN_A_FILE: Surroundings = { base: undefined, zone: UTC, nowMs: 0 };

export const SurroundingsContext = createContext<Surroundings>(IN_A_FILE);

export function useSurroundings(): Surroundings {
  return useContext(SurroundingsContext);
}
