/** Runs `api_key_command`, which prints a key. Its output is never shown. */
import { execFile } from 'node:child_process';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { providerNamed } from '../../providers/known-providers.ts';
import type { Environment } from '../../workflow/yaml/file-port.ts';
import { ConnectionSettings } from './connection-settings.ts';
import type { CredentialSource } from './credentials.ts';
import type { ModelRef } from '../../providers/own-findings.ts';
import { factsOf } from './model-failure.ts';

/** Long enough for the program to prompt a person. */
const TIMEOUT_MS = 60_000;
const MAX_KEY_BYTES = 64 * 1024;

export interface CommandContext {
  readonly env: Environment;
  readonly directory: string | undefined;
  readonly modelRef: ModelRef;
}

export function commandSource(
  command: readonly string[],
  { env, directory, modelRef }: CommandContext,
): CredentialSource {
  return async ({ signal }) => {
    const connection = new ConnectionSettings(env, undefined);
    const [program = '', ...args] = command.map((argument) => connection.expand(argument));
    if (connection.missing.length > 0)
      throw failed(modelRef, program, connection.missing.join(' '));
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    execFile(
      program,
      args,
      {
        env: { ...env },
        timeout: TIMEOUT_MS,
        maxBuffer: MAX_KEY_BYTES,
        signal,
        ...(directory === undefined ? {} : { cwd: directory }),
      },
      (error, stdout) => {
        if (error === null) resolve(stdout);
        else reject(failed(modelRef, program, exitText(error)));
      },
    );
    return promise;
  };
}

/** Says nothing about its output, which may contain the key. */
function exitText({ code, signal, killed }: CommandExit): string {
  if (killed === true) return `It took longer than ${TIMEOUT_MS / 1000} s, or printed too much.`;
  if (typeof code === 'number') return `It ended with exit code ${code}.`;
  return signal === null || signal === undefined
    ? `It could not be started: ${code ?? 'unknown reason'}.`
    : `It was killed by ${signal}.`;
}

interface CommandExit {
  readonly code?: number | string | null;
  readonly signal?: string | null;
  readonly killed?: boolean;
}

function failed(modelRef: ModelRef, program: string, how: string): ErrandError {
  const { name, display } = providerNamed(modelRef.provider);
  return new ErrandError({
    kind: 'provider.not_configured',
    outcome: 'not_started',
    message: `The \`api_key_command\` of ${display} printed no key`,
    details: { provider: name, program, how },
    provider: factsOf(modelRef),
    action: {
      kind: 'check_credentials',
      detail: `${how} Run the command yourself; it must print the key and nothing else.`,
    },
  });
}
