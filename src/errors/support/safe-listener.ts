/**
 * A listener of an application that may fail safely: what it throws, at once or later, goes to
 * `failed`. Otherwise a rejected promise from it would be unhandled, which ends a process.
 */
export function safeListener<T>(
  listener: (value: T) => unknown,
  failed: (thrown: unknown) => void = () => undefined,
): (value: T) => void {
  return (value) => {
    try {
      const returned = listener(value);
      if (typeof returned === 'object' && returned !== null)
        Promise.resolve(returned).then(undefined, failed);
    } catch (thrown) {
      failed(thrown);
    }
  };
}
