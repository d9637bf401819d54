/** A store that ends its process, by a signal that nobody can catch, around one of its appends. */
import type { RunStore } from '../../src/machine/ports/store-port.ts';
import { storeWith } from '../../src/stores/watched-store.cases.ts';

export interface KillPoint {
  /** `during`: after the request, at an unknown moment. */
  readonly when: 'before' | 'during' | 'after';
  /** Counts the commits of this process from 1; the creation of a run is one. */
  readonly append: number;
}

export function killingStore(store: RunStore, point: KillPoint): RunStore {
  return countingStore(store, (when, append) => {
    if (when === point.when && append === point.append) process.kill(process.pid, 'SIGKILL');
  });
}

/** Reports the number of appends before and after each. */
export function countingStore(
  store: RunStore,
  tell: (when: KillPoint['when'], append: number) => void,
): RunStore {
  let appends = 0;
  const counted =
    <Given, Got>(write: (given: Given) => Promise<Got>): ((given: Given) => Promise<Got>) =>
    async (given) => {
      const append = ++appends;
      tell('before', append);
      const writing = write(given);
      setImmediate(() => tell('during', append));
      const got = await writing;
      tell('after', append);
      return got;
    };
  return storeWith(store, {
    create: counted((run) => store.create(run)),
    append: counted((commit) => store.append(commit)),
  });
}
