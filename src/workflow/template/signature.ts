/** Signature of a filter, a test or a method. */
export interface Signature {
  /** In order; a `?` at the end of a name marks an optional one. */
  readonly parameters: readonly string[];
}
