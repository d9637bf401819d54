/** What something that takes arguments says of them. */
export interface Signature {
  /** In order; `?` at the end of a name marks one that may be left out. */
  readonly parameters: readonly string[];
}
