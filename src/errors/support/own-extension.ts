/**
 * The extension of the files beside the running one: `.ts` in a checkout, `.js` in the package, and `.cjs` where
 * the command runs from the CommonJS form of the package.
 * @param address of the running file, where it has one: a bundle may not
 */
export function ownExtension(address: unknown): '.ts' | '.js' | '.cjs' {
  const text = String(address);
  return (['.ts', '.cjs'] as const).find((extension) => text.endsWith(extension)) ?? '.js';
}
