/** Explains why a command could not be started. The system uses one error code for three different causes. */
import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import type { EffectFailure } from '../effect-port.ts';
import type { ScriptRequest } from './script-effect.ts';
import { codeOf } from '../process/system-code.ts';

type Reason = {
  /** The key of the node that has the fault. */
  readonly field: 'command' | 'args' | 'env' | 'working_dir' | 'system';
  readonly problem: string;
};

/** Limits of the system, which another command or folder would meet as well. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  [
    'EMFILE',
    'Raise the number of files that Errand may have open (ulimit -n), or run less at once.',
  ],
  ['ENFILE', 'Raise the number of files that this machine may have open, or run less at once.'],
  [
    'EAGAIN',
    'Raise the number of processes that this user may have (ulimit -u), or run less at once.',
  ],
  ['ENOMEM', 'Free memory on this machine, or run less at once.'],
]);

export function whyUnspawnable(
  thrown: unknown,
  request: ScriptRequest,
  env: Readonly<Record<string, string>>,
): EffectFailure {
  const code = codeOf(thrown);
  const { field, problem } = reasonFor(code, request, env);
  const remedy = field === 'system' ? REMEDIES.get(code) : undefined;
  return {
    ok: false,
    failure: {
      kind: 'internal.script_unspawnable',
      message: `The script could not be started: ${problem}`,
      details: { command: request.command, code, field },
      ...(remedy === undefined ? {} : { action: { kind: 'fix_setup', detail: remedy } }),
    },
    thrown,
  };
}

function reasonFor(
  code: string,
  request: ScriptRequest,
  env: Readonly<Record<string, string>>,
): Reason {
  const { command, cwd } = request;
  if (cwd !== undefined && !isDirectory(cwd)) {
    return { field: 'working_dir', problem: 'its working directory does not exist' };
  }
  switch (code) {
    case 'ENOENT':
      return isFound(request, env)
        ? {
            field: 'command',
            problem: `the program that ${command} asks for in its first line was not found`,
          }
        : { field: 'command', problem: `the command ${command} was not found` };
    case 'EACCES':
    case 'EPERM':
      return cwd !== undefined && !isEnterable(cwd)
        ? { field: 'working_dir', problem: 'its working directory is not accessible' }
        : { field: 'command', problem: `the command ${command} is not executable` };
    case 'ENOEXEC':
      return { field: 'command', problem: `${command} is not a program that this machine can run` };
    case 'E2BIG':
      return {
        field: 'args',
        problem: 'its arguments and environment are too large for the system',
      };
    case 'ERR_INVALID_ARG_VALUE':
      return invalidText(request);
    default:
      return { field: 'system', problem: `the system refused it (${code})` };
  }
}

function invalidText({ command, args }: ScriptRequest): Reason {
  const problem = 'one of its texts contains a zero byte, or is empty where that is not allowed';
  if (command === '' || command.includes('\0')) return { field: 'command', problem };
  return { field: args.some((arg) => arg.includes('\0')) ? 'args' : 'env', problem };
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // missing or not accessible: both prevent a start there
    return false;
  }
}

function isEnterable(path: string): boolean {
  return hasAccess(path, constants.X_OK);
}

/** Searches like the system: at the path, or in PATH for a bare name. */
function isFound(
  { command, cwd = '.' }: ScriptRequest,
  { PATH = '' }: Readonly<Record<string, string>>,
): boolean {
  if (isAbsolute(command)) return hasAccess(command, constants.F_OK);
  if (command.includes('/')) return hasAccess(resolve(cwd, command), constants.F_OK);
  return PATH.split(':').some((folder) => hasAccess(join(folder, command), constants.F_OK));
}

function hasAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
