/**
 * What takes time to make and is not always needed: made by the first who asks, because everybody
 * pays for what is made while a program starts.
 */
export function madeOnce<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}
