/**
 * The effect of a `script` node: a real process, with the contract of its error file. What it means
 * is decided in `script-result.ts`; here the pieces are brought together and cleaned up.
 */
import { tmpdir } from 'node:os';
import type { JsonObject } from '../errors/json.ts';
import { MACHINE_CLOCK } from './clock.ts';
import {
  cancelledBefore,
  neverRejecting,
  type Effect,
  type EffectContext,
  type EffectFailure,
  type EffectResult,
  type Suppressed,
} from './effect.ts';
import type { ReportDraft } from '../errors/report.ts';
import { endLeftRunning, leftRunning } from './left-running.ts';
import { createErrorFile, type ErrorFile } from './error-file.ts';
import { scriptEnvironment, type Environment } from './script-environment.ts';
import { openPipes, type ScriptPipes } from './script-pipes.ts';
import { runProcess } from './script-process.ts';
import { toScriptResult } from './script-result.ts';
import { whyUnspawnable } from './script-unspawnable.ts';
import { codeOf } from './system-code.ts';

/** A rendered script node. */
export interface ScriptRequest {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of the run. */
  readonly env: Readonly<Record<string, string>>;
  /** Default: where Errand runs. */
  readonly cwd?: string;
  readonly stdin?: string | undefined;
  readonly timeoutMs?: number | undefined;
  /** Exits that are answers and not failures. */
  readonly exitCodes: 'any' | readonly number[];
  /** Asked for before, with the same key: what is left of that must not run beside it. */
  readonly isAgain?: boolean;
  /** May be ended and begun again. */
  readonly isIdempotent?: boolean;
  /** What stdout must be, as a JSON object. */
  readonly outputSchema?: JsonObject | undefined;
}

export interface ScriptHost {
  /** The environment of the run; variables that hold a configured secret are left out. */
  readonly env: Environment;
  /** Where the error files live. Default: the system's place for temporary files. */
  readonly tempDir?: string;
}

export function createScriptEffect(host: ScriptHost): Effect<ScriptRequest> {
  return neverRejecting(async (request, context) => {
    if (context.signal.aborted) return cancelledBefore(context.cancelled ?? 'cancelled.tool');
    const beside = request.isAgain === true ? await notBeside(request, context) : undefined;
    if (beside !== undefined) return beside;
    const place = await preparePlace(host, request);
    if (!('file' in place)) return place;
    const { file } = place;
    const result = await runWith(place, { request, context, host }).catch(
      async (thrown: unknown): Promise<never> => {
        await file.remove();
        throw new Error('The script could not be followed to its end', { cause: thrown });
      },
    );
    const { failed } = await file.remove();
    return failed === undefined ? result : { ...result, suppressed: [leftBehind(failed)] };
  });
}

/** One that outlived its Errand is ended where it may be begun again, and is in doubt where not. */
async function notBeside(
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

interface Place {
  readonly file: ErrorFile;
  readonly pipes: ScriptPipes;
}

/** A full disk, for one, leaves no room for what a script needs around it. */
async function preparePlace(
  host: ScriptHost,
  { stdin }: ScriptRequest,
): Promise<Place | EffectFailure> {
  let file: ErrorFile | undefined;
  try {
    file = await createErrorFile(host.tempDir ?? tmpdir());
    return { file, pipes: await openPipes(file.folder, stdin) };
  } catch (thrown) {
    await file?.remove();
    const code = codeOf(thrown);
    const message = 'The script could not be started: there is no room for its temporary files';
    const failure = {
      kind: 'internal.script_unspawnable',
      message,
      details: { field: 'system', code },
    };
    return { ok: false, failure, thrown };
  }
}

interface Try {
  readonly request: ScriptRequest;
  readonly context: EffectContext;
  readonly host: ScriptHost;
}

async function runWith(
  { file, pipes }: Place,
  { request, context, host }: Try,
): Promise<EffectResult> {
  const { command, args, cwd, timeoutMs } = request;
  const env = scriptEnvironment(host.env, request.env, { context, errorFile: file.path });
  const end = await runProcess(
    { command, args, env, pipes, ...(cwd === undefined ? {} : { cwd }) },
    {
      signal: context.signal,
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
