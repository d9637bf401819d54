/**
 * Functions, modules and extensions share the process of the command. An error that they throw
 * where nothing awaits it, or a process that they end, becomes a typed failure here, and their
 * output goes to stderr. Only the command guards its process; an application that uses the library
 * owns its own.
 */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { foreignWords } from '../../errors/thrown/describe-thrown.ts';
import { oneLine } from '../../errors/support/printable.ts';
import { refuse } from '../exit.ts';
import { forgetSecrets, reportOf } from '../report-of.ts';
import type { CliContext } from '../program/cli-context.ts';
import {
  beginCommand,
  cutOffByCrash,
  endOfCommand,
  INTERRUPTED,
  noteEnd,
  stopForCrash,
} from './command-end.ts';
import { captureForeignOutput } from './foreign-output.ts';

/** Call it before any code of others is loaded. */
export function guardProcess({ terminal, output }: CliContext): void {
  forgetSecrets();
  const release = captureForeignOutput((line) => terminal.err(line));
  let crash: ErrandError | undefined;

  const onThrown = (thrown: unknown): void => {
    const next = strayFailure(thrown);
    if (crash !== undefined || endOfCommand() !== undefined)
      terminal.err(`errand: ${oneLine(reportOf(next).message)}`);
    if (crash !== undefined) return;
    crash = next;
    stopForCrash(next);
  };
  const onExit = (code: number): void => {
    process.off('exit', onExit);
    process.off('uncaughtException', onThrown);
    const ended = endOfCommand();
    if (ended === undefined)
      process.exitCode = noteEnd(cutOffByCrash(crash ?? endedProcess()) ?? 1);
    else if (code === 0 || code === INTERRUPTED || crash !== undefined) process.exitCode = ended;
    release();
  };

  beginCommand({
    stop: (thrown) => {
      noteEnd(refuse(thrown, output, terminal));
      void terminal.drained().then(() => process.exit());
    },
    cutOff: (thrown) => refuse(thrown, output, terminal),
  });
  // rejections that nothing awaits arrive here too
  process.on('uncaughtException', onThrown);
  process.on('exit', onExit);
}

function strayFailure(thrown: unknown): ErrandError {
  return new ErrandError(
    {
      kind: 'extension.lifecycle',
      message: `A function, a module or an extension failed where nothing waits for it: ${foreignWords(thrown)}`,
      title: 'Failure that nothing handles',
      outcome: 'unknown',
      action: {
        kind: 'fix_code',
        detail:
          'Await every promise, and catch what callbacks of timers and listeners throw. Node would end any program for it.',
      },
    },
    { cause: thrown },
  );
}

function endedProcess(): ErrandError {
  return new ErrandError({
    kind: 'extension.lifecycle',
    message: 'A function, a module or an extension ended this process',
    title: 'Process ended by an extension',
    outcome: 'unknown',
    action: {
      kind: 'fix_code',
      detail: 'Throw an error instead of calling process.exit: Errand ends the process itself.',
    },
  });
}
