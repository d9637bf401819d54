/**
 * The effect of a `script` node: prepares files and pipes, runs the process, reads its error file and
 * cleans up. `script-result.ts` decides what its end means.
 */
import type { Environment } from '../../workflow/yaml/file-port.ts';
import { tmpdir } from 'node:os';
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import { MACHINE_CLOCK } from '../clock.ts';
import {
  cancelledBefore,
  neverRejecting,
  type Effect,
  type EffectContext,
  type EffectFailure,
  type EffectResult,
  type Suppressed,
} from '../effect-port.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import { endLeftRunning, leftRunning } from './left-running.ts';
import { createErrorFile, type ErrorFile } from './error-file.ts';
import { removeAbandoned } from './temp-folders.ts';
import { scriptEnvironment } from './script-environment.ts';
import { openPipes, type ScriptPipes } from './script-pipes.ts';
import { runProcess } from './script-process.ts';
import { recheckOutput, toScriptResult } from './script-result.ts';
import { whyUnspawnable } from './spawn-error.ts';
import { codeOf } from '../process/system-code.ts';

/** A rendered script node. */
export interface ScriptRequest {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of the run. */
  readonly env: Readonly<Record<string, string>>;
  /** Default: the folder of the process. */
  readonly cwd?: string;
  readonly stdin?: string | undefined;
  readonly timeoutMs?: number | undefined;
  /** Exit codes that are not failures. */
  readonly exitCodes: 'any' | readonly number[];
  /** Accepts a stdout that was cut. Default: that is a failure. */
  readonly keepsTruncated?: boolean | undefined;
  /** Started before with the same key: no leftover process of that start may run beside it. */
  readonly isAgain?: boolean;
  /** May be ended and started again. */
  readonly isIdempotent?: boolean;
  /** Schema of the JSON object on stdout. */
  readonly outputSchema?: JsonObject | undefined;
  /** The output of an earlier run, which could not be used: checked before the script is started. */
  readonly recorded?: { readonly output: JsonValue } | undefined;
}

export interface ScriptHost {
  /** The environment of the run; variables that hold a configured secret are left out. */
  readonly env: Environment;
  /** Folder of the error files. Default: the system's temporary folder. */
  readonly tempDir?: string;
}

export function createScriptEffect(host: ScriptHost): Effect<ScriptRequest> {
  const tempDir = host.tempDir ?? tmpdir();
  let cleaned: Promise<void> | undefined;
  return neverRejecting(async (request, context) => {
    if (context.signal.aborted) return cancelledBefore(context.cancelled ?? 'cancelled.tool');
    const again =
      request.recorded === undefined ? undefined : recheckOutput(request.recorded.output, request);
    if (again !== undefined) return again;
    const beside = request.isAgain === true ? await refuseSecondRun(request, context) : undefined;
    if (beside !== undefined) return beside;
    await (cleaned ??= removeAbandoned(tempDir, MACHINE_CLOCK.now()));
    const files = await prepareFiles(tempDir, request);
    if (!('file' in files)) return files;
    const { file } = files;
    const result = await runWith(files, { request, context, host }).catch(
      async (thrown: unknown): Promise<never> => {
        await file.remove();
        throw new Error('The script could not be run to its end', { cause: thrown });
      },
    );
    const { failed } = await file.remove();
    if (failed === undefined) return result;
    return { ...result, suppressed: [...(result.suppressed ?? []), leftBehind(failed)] };
  });
}

/** A script that outlived its Errand is ended if it is idempotent; otherwise its outcome is unknown. */
async function refuseSecondRun(
  { isIdempotent }: ScriptRequest,
  { run, node, idempotencyKey }: EffectContext,
): Promise<EffectFailure | undefined> {
  const processes = leftRunning(run, idempotencyKey);
  if (processes.length === 0) return undefined;
  if (isIdempotent === true && (await endLeftRunning(run, idempotencyKey))) return undefined;
  const failure: ReportDraft = {
    kind: 'effect.outcome_unknown',
    message: `The script of ${node} is still running, so it was not started a second time`,
    outcome: 'unknown',
    details: { processes: [...processes] },
  };
  return { ok: false, failure };
}

interface ScriptFiles {
  readonly file: ErrorFile;
  readonly pipes: ScriptPipes;
}

/** Fails if the temporary files cannot be created, for example on a full disk. */
async function prepareFiles(
  tempDir: string,
  { stdin }: ScriptRequest,
): Promise<ScriptFiles | EffectFailure> {
  let file: ErrorFile | undefined;
  try {
    file = await createErrorFile(tempDir);
    return { file, pipes: await openPipes(file.folder, stdin) };
  } catch (thrown) {
    await file?.remove();
    const code = codeOf(thrown);
    const message = 'The script could not be started: its temporary files could not be created';
    const failure = {
      kind: 'internal.script_unspawnable',
      message,
      details: { field: 'system', code },
      action: {
        kind: 'fix_setup' as const,
        detail: 'Set TMPDIR to a folder that exists, is writable and has free space.',
      },
    };
    return { ok: false, failure, thrown };
  }
}

interface ScriptRun {
  readonly request: ScriptRequest;
  readonly context: EffectContext;
  readonly host: ScriptHost;
}

async function runWith(
  { file, pipes }: ScriptFiles,
  { request, context, host }: ScriptRun,
): Promise<EffectResult> {
  const { command, args, cwd, timeoutMs } = request;
  const env = scriptEnvironment(host.env, request.env, { context, errorFile: file.path });
  const end = await runProcess(
    { command, args, env, pipes, ...(cwd === undefined ? {} : { cwd }) },
    {
      signal: context.signal,
      onStarted: (pid) => context.observe?.({ pid }),
      clock: context.clock ?? MACHINE_CLOCK,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    },
  );
  if (!end.started) return whyUnspawnable(end.thrown, request, env);
  return toScriptResult(end, await file.read(), { request, context });
}

function leftBehind(thrown: unknown): Suppressed {
  const code = codeOf(thrown);
  return {
    failure: {
      kind: 'internal.unexpected',
      message: 'The directory of the error file could not be removed',
      details: { code },
    },
    reason: 'the script had ended and its error file had been read',
  };
}
