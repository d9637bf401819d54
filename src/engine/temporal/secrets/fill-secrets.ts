/** Fills in the secrets of an effect at its worker, from the environment of the worker. */
import { ErrandError } from '../../../errors/thrown/errand-error.ts';
import type { EffectRequest } from '../../../machine/decide/effect-request.ts';
import { secretPartsOfAddress } from '../../../workflow/yaml/address-secrets.ts';
import { expandEnvironment } from '../../../workflow/yaml/environment.ts';
import type { Environment } from '../../../workflow/yaml/file-port.ts';
import { withMarksFilled, type SecretReferences } from './secret-marks.ts';

/** The secrets of the run that this worker has: any effect may print one that another has stored. */
export function secretsAt(
  { variables }: SecretReferences,
  environment: Environment,
): readonly string[] {
  return variables.flatMap((name) => {
    const value = valueOf(name, environment);
    return value === undefined ? [] : [value, ...secretPartsOfAddress(value)];
  });
}

/** Throws `run.resume_mismatch` for a variable that is not set here. */
export function withSecrets(
  request: EffectRequest,
  { seal }: SecretReferences,
  environment: Environment,
): EffectRequest {
  return withMarksFilled(request, seal, (variables) => {
    const values = variables.map((name) => valueOf(name, environment));
    const missing = variables.filter((_, at) => values[at] === undefined);
    if (missing.length > 0) throw notSet(request, missing);
    const [value = '', ...others] = values;
    if (others.some((other) => other !== value)) throw notTheSame(request, variables);
    return value;
  });
}

/** Undefined for a variable that is not set, or that refers to one. */
export function valueOf(variable: string, environment: Environment): string | undefined {
  const { text, missing } = expandEnvironment(`\${${variable}}`, environment);
  return missing.length > 0 ? undefined : text;
}

function notSet({ node, workflow }: EffectRequest, missing: readonly string[]): ErrandError {
  const names = missing.join(', ');
  return new ErrandError({
    kind: 'run.resume_mismatch',
    message: `The environment variable ${names} is not set at the worker, and the node ${node.name} needs a secret from it: secret values are never stored`,
    details: { workflow, node: node.name, secrets: missing },
    action: {
      kind: 'fix_setup',
      detail: `Set ${names} for the workers and start them again, then resume.`,
    },
  });
}

/** One of them is the right one, and the plan cannot tell which. */
function notTheSame({ node, workflow }: EffectRequest, variables: readonly string[]): ErrandError {
  const names = variables.join(' and ');
  return new ErrandError({
    kind: 'run.resume_mismatch',
    message: `${names} have one value where the run was started and several at the worker, so the node ${node.name} cannot tell them apart`,
    details: { workflow, node: node.name, secrets: variables },
    action: {
      kind: 'fix_setup',
      detail: `Set ${names} to the same value for the workers, or use one of them in the file.`,
    },
  });
}
