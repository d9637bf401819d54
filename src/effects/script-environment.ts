/**
 * The environment of a script: that of the run without what configures Errand and without what holds a
 * secret, the author's own over it, and the engine's last, so that nobody can point the error file
 * elsewhere.
 */
import { REDACTED } from '../errors/bounded-text.ts';
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
    if (value === undefined || isWithheld(name) || holdsSecret(name, value, context)) continue;
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

/** A program without these does not run at all, and no secret is kept in them. */
const NEEDED: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'SYSTEMROOT',
  'TMPDIR',
  'TEMP',
  'TMP',
]);

/** A shorter one may be a word of a path or an address by chance. */
const MIN_PART_CHARS = 8;

/** The value is a secret, or a part between delimiters is, as the password in an address. */
function holdsSecret(name: string, value: string, { redactor }: EffectContext): boolean {
  if (NEEDED.has(name.toUpperCase())) return false;
  const rest = redactor.values(value);
  if (rest === value || rest === REDACTED) return rest !== value;
  const around = rest.split(REDACTED);
  const taken = value.length - around.join('').length;
  if (taken < MIN_PART_CHARS * (around.length - 1)) return false;
  return around.some(
    (before, index) =>
      index < around.length - 1 &&
      !/[\p{L}\p{N}]$/u.test(before) &&
      !/^[\p{L}\p{N}]/u.test(around[index + 1] ?? ''),
  );
}
