/**
 * The environment of a script: that of the run without what configures Errand and without what holds a
 * secret, the author's own over it, and the engine's last, so that nobody can point the error file
 * elsewhere.
 */
import type { EffectContext } from './effect.ts';
import { isWithheld } from './model/key-values.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export function scriptEnvironment(
  run: Environment,
  own: Readonly<Record<string, string>>,
  { context, errorFile }: { readonly context: EffectContext; readonly errorFile: string },
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(run)) {
    if (value === undefined || isWithheld(name) || holdsSecret(value, context)) continue;
    env[name] = value;
  }
  return {
    ...env,
    ...own,
    ERRAND_ERROR_OUT: errorFile,
    CONDUCTOR_ERROR_OUT: errorFile,
    ERRAND_ATTEMPT: String(context.attempt),
    ERRAND_RUN: context.run,
    ERRAND_NODE: context.node,
    ERRAND_IDEMPOTENCY_KEY: context.idempotencyKey,
  };
}

function holdsSecret(value: string, { redactor }: EffectContext): boolean {
  return redactor.values(value) !== value;
}
