/** What is wrong with a value, or with the schema that should judge it. */
export interface Finding {
  /** Of a finding of the schema, nothing is known about the value. */
  readonly of: 'value' | 'schema';
  /** JSON Pointer into that. */
  readonly pointer: string;
  /** The rest of a sentence about what is there: `must be a string`. */
  readonly message: string;
}
