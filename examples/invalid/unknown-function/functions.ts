/** What `unknown-function.yaml` may call. */
export function fetchOrder({ id }: { readonly id: number }): { readonly id: number } {
  return { id };
}
