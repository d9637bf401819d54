/** The real `AbortSignal` where the program has one, and what is needed of it where it has not. */
export type AmbientSignal = typeof globalThis extends { AbortSignal: { prototype: infer S } }
  ? S
  : { readonly aborted: boolean; readonly reason: unknown };
