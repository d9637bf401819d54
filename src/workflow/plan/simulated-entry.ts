/** Picks the entry that a simulated model replies with: the first whose condition fits, else the next one. */

export interface Ruled {
  /** Only for prompts that contain this text, whatever the number of the request. */
  readonly when?: string;
}

/** `ordinal`: requests before this one; the last entry repeats. Undefined: no entry fits. */
export function simulatedEntry<Entry>(
  script: readonly Entry[],
  ruleOf: (entry: Entry) => Ruled,
  { ordinal, prompt }: { readonly ordinal: number; readonly prompt: string },
): Entry | undefined {
  const fits = (entry: Entry): boolean => {
    const { when } = ruleOf(entry);
    return when !== undefined && prompt.toLowerCase().includes(when.toLowerCase());
  };
  const line = script.filter((entry) => ruleOf(entry).when === undefined);
  return script.find(fits) ?? line[Math.min(ordinal, line.length - 1)];
}
