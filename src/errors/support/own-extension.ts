/**
 * The extension of the files that lie beside the running one: sources in a checkout, ES modules in the package,
 * and CommonJS where the command runs from it, which has its files in that form too.
 * @param address of the running file, where it has one: a bundle may not
 */
export function ownExtension(address: unknown): '.ts' | '.js' | '.cjs' {
  const text = String(address);
  return (['.ts', '.cjs'] as const).find((extension) => text.endsWith(extension)) ?? '.js';
}
