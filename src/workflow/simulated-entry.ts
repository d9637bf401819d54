/** Which entry of a script a simulated model answers with: the first rule that fits, else the next in line. */

export interface Ruled {
  /** Only where the prompt holds this text, whatever the number of the request. */
  readonly when?: string;
}

/** `ordinal`: requests before this one; the last entry repeats. Undefined: the script says nothing. */
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
