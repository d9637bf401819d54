/** A finding: a problem of a value, or of the schema that it is checked against. */
export interface Finding {
  /** For `schema`, nothing is known about the value. */
  readonly of: 'value' | 'schema';
  /** JSON Pointer into that. */
  readonly pointer: string;
  /** The predicate of a sentence about the value: `must be a string`. */
  readonly message: string;
  /** The flaw of a schema is a reference that leads to no schema. */
  readonly isDangling?: true;
}
