/** A key that a program prints, as `api_key_command` names it. Its output is shown to nobody. */
import { execFile } from 'node:child_process';
import { ErrandError } from '../../errors/errand-error.ts';
import { providerNamed } from '../../providers/names.ts';
import { Connection, type Environment } from './connection.ts';
import type { CredentialSource } from './credentials.ts';
import { factsOf, type Asked } from './failure.ts';

/** A person may have to be asked by the program, but not for as long as a call may take. */
const TIMEOUT_MS = 60_000;
const MAX_KEY_BYTES = 64 * 1024;

export interface CommandPlace {
  readonly env: Environment;
  readonly directory: string | undefined;
  readonly asked: Asked;
}

export function commandSource(
  command: readonly string[],
  { env, directory, asked }: CommandPlace,
): CredentialSource {
  return async ({ signal }) => {
    const connection = new Connection(env, undefined);
    const [program = '', ...args] = command.map((word) => connection.expand(word));
    if (connection.missing.length > 0) throw failed(asked, program, connection.missing.join(' '));
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
        else reject(failed(asked, program, endingOf(error)));
      },
    );
    return promise;
  };
}

/** Without a word of what it printed, which may hold the key. */
function endingOf({ code, signal, killed }: Ending): string {
  if (killed === true) return `It took longer than ${TIMEOUT_MS / 1000} s, or printed too much.`;
  if (typeof code === 'number') return `It ended with exit code ${code}.`;
  return signal === null || signal === undefined
    ? `It could not be started: ${code ?? 'nobody knows why'}.`
    : `It was ended by ${signal}.`;
}

interface Ending {
  readonly code?: number | string | null;
  readonly signal?: string | null;
  readonly killed?: boolean;
}

function failed(asked: Asked, program: string, how: string): ErrandError {
  const { name, display } = providerNamed(asked.provider);
  return new ErrandError({
    kind: 'provider.not_configured',
    outcome: 'not_started',
    message: `The program for the key of ${display} gave none`,
    details: { provider: name, program, how },
    provider: factsOf(asked),
    action: {
      kind: 'check_credentials',
      detail: `${how} Run \`api_key_command\` yourself; it has to print the key and nothing else.`,
    },
  });
}
