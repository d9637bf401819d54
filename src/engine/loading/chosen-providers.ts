/**
 * The providers that stand in for those of files here: by `ERRAND_PROVIDER`, by the settings of the project,
 * or as a run was started.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { isPlainObject } from '../../errors/support/safe-json.ts';
import type { ProviderChoice } from '../../workflow/plan/provider-choice.ts';
import type { Workspace } from './check-file.ts';
import { nodeFiles } from './node-files.ts';

/** In the folder in which Errand is started. */
const SETTINGS_FILE = 'errand.settings.yaml';

/** Throws `validation.workflow` for settings that cannot be read. */
export async function providersOf({ base, env, providers }: Workspace): Promise<ProviderChoice> {
  if (providers !== undefined) return providers;
  const named = env['ERRAND_PROVIDER']?.trim().toLowerCase() ?? '';
  const byName = await settingsIn(base);
  return {
    ...(named === '' ? {} : { provider: named }),
    ...(byName === undefined ? {} : { byName }),
  };
}

/** For a run that was started with a stand-in; the one that is named now wins. Reads the settings once. */
export async function withStandIn(
  workspace: Workspace,
  standIn: string | undefined,
): Promise<Workspace> {
  const chosen = await providersOf(workspace);
  const keepsChosen = standIn === undefined || chosen.provider !== undefined;
  return { ...workspace, providers: keepsChosen ? chosen : { ...chosen, provider: standIn } };
}

/** `providers: {copilot: openai}`: undefined where the project has no settings. */
async function settingsIn(base: string): Promise<ProviderChoice['byName']> {
  const content = nodeFiles(base).read(SETTINGS_FILE);
  if (!content.ok) {
    if (!existsSync(join(base, SETTINGS_FILE))) return undefined;
    throw refused(`${SETTINGS_FILE} cannot be read: ${content.reason}`);
  }
  const settings = (await parsed(content.text)) ?? {};
  const { providers = {}, ...others } = isPlainObject(settings) ? settings : { others: settings };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined || !isPlainObject(providers)) throw unreadable();
  const entries = Object.entries(providers).map(([name, standIn]): [string, string] => {
    if (typeof standIn !== 'string') throw unreadable();
    return [name.toLowerCase(), standIn];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

async function parsed(text: string): Promise<unknown> {
  // most projects have no settings
  const { yamlValue } = await import('../../workflow/yaml/parse-yaml.ts');
  try {
    return yamlValue(text);
  } catch (cause) {
    throw unreadable(cause);
  }
}

function unreadable(cause?: unknown): ErrandError {
  return refused(
    `${SETTINGS_FILE} is not a map with the key \`providers\`, from names of providers to names of providers`,
    cause,
  );
}

function refused(message: string, cause?: unknown): ErrandError {
  return new ErrandError(
    {
      kind: 'validation.workflow',
      message,
      action: { kind: 'fix_file', detail: 'Write `providers: {copilot: openai}`.' },
    },
    { cause },
  );
}
