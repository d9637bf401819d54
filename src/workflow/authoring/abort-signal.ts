/**
 * The real `AbortSignal` if the program has its types, and otherwise the part that Errand needs.
 */
export type AbortSignalLike = typeof globalThis extends { AbortSignal: { prototype: infer S } }
  ? S
  : { readonly aborted: boolean; readonly reason: unknown };
