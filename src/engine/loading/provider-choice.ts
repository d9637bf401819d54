/** The providers that stand in for those of files here: by `ERRAND_PROVIDER`, or as a run was started. */
import { NO_CHOICE, type ProviderChoice } from '../../workflow/plan/provider-choice.ts';
import type { Workspace } from './check-file.ts';

export function providersOf({ env, providers }: Workspace): ProviderChoice {
  if (providers !== undefined) return providers;
  const named = env['ERRAND_PROVIDER']?.trim().toLowerCase() ?? '';
  return named === '' ? NO_CHOICE : { provider: named };
}

/** For a run that was started with a stand-in; the one that is named now wins. */
export function withStandIn(workspace: Workspace, standIn: string | undefined): Workspace {
  const { provider } = providersOf(workspace);
  return standIn === undefined || provider !== undefined
    ? workspace
    : { ...workspace, providers: { ...providersOf(workspace), provider: standIn } };
}
