/**
 * Refuses an unknown provider as a stand-in for those of files, whether or not a file has models.
 */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { suggest } from '../../errors/support/suggest.ts';
import { PROVIDERS } from '../../providers/known-providers.ts';
import { quoted } from '../../workflow/diagnostics/diagnostic-words.ts';
import { isKnownProvider, SIMULATED_PROVIDER } from '../../workflow/plan/model-names.ts';
import type { ProviderChoice } from '../../workflow/plan/provider-choice.ts';

/** More would be cut on a screen. */
const MOST_NAMED = 12;

/** `registered`: the providers that the host and the extensions add. Throws `validation.input`. */
export function refuseUnknownStandIn(
  { provider, byName = {} }: ProviderChoice,
  registered: readonly string[],
): void {
  const named = [
    ...(provider === undefined ? [] : [[provider, '`--provider` or ERRAND_PROVIDER'] as const]),
    ...Object.values(byName).map((name) => [name, 'errand.settings.yaml'] as const),
  ];
  for (const [name, where] of named) {
    if (isKnownProvider(name) || registered.includes(name)) continue;
    const known = [SIMULATED_PROVIDER, ...registered, ...PROVIDERS.map((each) => each.name)];
    const meant = suggest(name, known);
    const rest = known.length - MOST_NAMED;
    throw new ErrandError({
      kind: 'validation.input',
      message: `No provider is called ${quoted(name)}, which ${where} names`,
      action: {
        kind: 'change_input',
        detail: `${meant === undefined ? '' : `Did you mean ${meant}? `}Name one of: ${known.slice(0, MOST_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`,
      },
    });
  }
}
