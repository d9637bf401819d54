/**
 * A store that reports how long each of its calls took. Reading a log is not a single call, so it
 * is left out.
 */
import type { RunStore } from '../machine/ports/store-port.ts';

export function timedStore(
  store: RunStore,
  nowMs: () => number,
  onCall: (seconds: number) => void,
): RunStore {
  return new Proxy(store, {
    get: (target, name) => {
      // a store may keep private fields, which only its own methods reach
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        const startedMs = nowMs();
        const result: unknown = Reflect.apply(member, target, args);
        if (!(result instanceof Promise)) return result;
        return result.finally(() => onCall((nowMs() - startedMs) / 1000));
      };
    },
  });
}
