/**
 * Stand-ins for the providers that a file names: `--provider` or ERRAND_PROVIDER for the whole
 * file, or a table by name. A file of another engine names providers that Errand does not have.
 */
import { providerNamed } from '../../providers/known-providers.ts';
import { SIMULATED_PROVIDER } from './model-names.ts';

export interface ProviderChoice {
  /** Stands in for the provider of the file and for providers that Errand does not have. `sim` plays every model. */
  readonly provider?: string;
  /** Stand-ins by the name in the file. */
  readonly byName?: Readonly<Record<string, string>>;
}

export const NO_CHOICE: ProviderChoice = {};

/** Providers that are separate programs or services, with sessions that Errand cannot record. */
const FOREIGN_PROVIDERS: ReadonlySet<string> = new Set([
  'copilot',
  'claude-agent-sdk',
  'hermes',
  'aca',
  'codex',
]);

/** Whether simulated models play every model of the file. */
export function isPlayed({ provider }: ProviderChoice): boolean {
  return provider === SIMULATED_PROVIDER;
}

/** The stand-in for the provider of a whole file; undefined if the file keeps its own. */
export function standInForFile(
  name: string | undefined,
  choice: ProviderChoice,
): string | undefined {
  const standIn = choice.provider ?? byName(name, choice);
  return standIn === undefined ? undefined : providerNamed(standIn).name;
}

/**
 * The stand-in for the provider of one node: `--provider` replaces it only if Errand does not have
 * it.
 */
export function standInForNode(name: string, choice: ProviderChoice): string | undefined {
  const isReplaced = isForeign(name) || isPlayed(choice);
  const standIn = byName(name, choice) ?? (isReplaced ? choice.provider : undefined);
  return standIn === undefined ? undefined : providerNamed(standIn).name;
}

export function isForeign(name: string): boolean {
  return FOREIGN_PROVIDERS.has(name.toLowerCase());
}

function byName(
  name: string | undefined,
  { byName: table = {} }: ProviderChoice,
): string | undefined {
  const key = name?.toLowerCase() ?? '';
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
