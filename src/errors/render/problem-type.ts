/** The `type` of a kind's problem document, shared by the writer and the reader. */
export function problemType(kind: string): string {
  return `urn:errand:error:${kind}`;
}
