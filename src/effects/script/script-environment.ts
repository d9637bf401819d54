/**
 * The environment of a script: that of the run without Errand's own variables and without secrets, then
 * the author's variables, then the engine's, so that nothing can redirect the error file or the trace.
 */
import type { Environment } from '../../workflow/yaml/file-port.ts';
import { REDACTED } from '../../errors/report/bounded-text.ts';
import { carrierVariables } from '../../machine/ports/trace-carrier.ts';
import type { EffectContext } from '../effect-port.ts';
import { isErrandVariable, isProxy } from '../model/key-values.ts';

export function scriptEnvironment(
  run: Environment,
  own: Readonly<Record<string, string>>,
  { context, errorFile }: { readonly context: EffectContext; readonly errorFile: string },
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(run)) {
    if (value === undefined || isErrandVariable(name, value) || holdsSecret(name, value, context))
      continue;
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
    ...carrierVariables(context.trace),
  };
}

/** Programs need these to run, and they hold no secret. */
const NEEDED: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'SYSTEMROOT',
  'TMPDIR',
  'TEMP',
  'TMP',
]);

/** A shorter secret may be part of a path or an address by chance. */
const MIN_PART_CHARS = 8;

/** Whether the value is a secret, or contains one between delimiters, such as a password in a URL. */
function holdsSecret(name: string, value: string, { redactor }: EffectContext): boolean {
  // its output is redacted all the same
  if (NEEDED.has(name.toUpperCase()) || isProxy(name)) return false;
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
