/**
 * Makes a value on its first use: every run of a program pays for values that are made while it starts.
 */
export function once<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}
