/** Stores that tests look into: every call is noted, or some methods are replaced. */
import type { RunStore } from '../machine/ports/store-port.ts';

type OnCall = (name: string | symbol, given: readonly unknown[]) => void;

/** The store, with a note of each call before it is made. */
export function watchedStore(store: RunStore, onCall: OnCall): RunStore {
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...given: readonly unknown[]): unknown => {
        onCall(name, given);
        return Reflect.apply(value, target, given);
      };
    },
  });
}

/** The store with some of its methods replaced. */
export function storeWith(store: RunStore, own: Partial<RunStore>): RunStore {
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(own, name) ?? Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
