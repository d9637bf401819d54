/**
 * A listener of an application that can fail without harm: what it throws, at once or later, goes to `failed`.
 * A promise that it returns would else be rejected with nobody to handle it, which ends a process.
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
