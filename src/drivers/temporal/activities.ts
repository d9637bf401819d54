/**
 * One try of one effect, at a worker. The effect runs as it does locally; what fails fails the
 * activity with the report, so that Temporal shows it for what it is.
 */
import { dirname, resolve } from 'node:path';
import { keyValuesIn } from '../../effects/model/key-values.ts';
import { neverRejecting, type EffectContext, type EffectFailure } from '../../effects/effect.ts';
import { buildReport } from '../../errors/build.ts';
import { toInternalRecord, type InternalRecord } from '../../errors/internal-record.ts';
import type { JsonObject } from '../../errors/json.ts';
import { createRedactor, type Redactor } from '../../errors/redact.ts';
import type { ReportDraft, Stamp } from '../../errors/report.ts';
import type { EffectRequest } from '../../machine/effect-request.ts';
import { expandEnvironment } from '../../workflow/load/environment.ts';
import { hashText } from '../../workflow/hash.ts';
import type { Breakers } from '../breakers.ts';
import { createEffectRunner, type EffectHost, type EffectRunner } from '../effect-runner.ts';
import { lostDraft, toFailure } from './failure.ts';
import type { EffectDone, EffectRest, EffectTask } from './messages.ts';
import { jsonBytes, MAX_PAYLOAD_BYTES, tooLargeOutput } from './payload-size.ts';
import type { ActivityContext, ActivityModule } from './sdk.ts';

export interface ActivityHost extends Omit<EffectHost, 'directory' | 'base'> {
  /** Where workflow files, modules and scripts lie on this machine. */
  readonly base: string;
  readonly secrets?: readonly string[];
  readonly breakers: Breakers;
  readonly onInternal?: (record: InternalRecord) => void;
}

export interface EffectActivity {
  run(task: EffectTask): Promise<EffectDone>;
  close(): Promise<void>;
}

/** Often enough for Temporal's throttle; more costs nothing. */
const HEARTBEAT_EVERY_MS = 200;

export function createEffectActivity(host: ActivityHost, sdk: ActivityModule): EffectActivity {
  const runners = new Map<string, EffectRunner>();
  const runnerFor = (file: string): EffectRunner => {
    const directory = dirname(resolve(host.base, file));
    const known = runners.get(directory) ?? createEffectRunner({ ...host, directory });
    runners.set(directory, known);
    return known;
  };
  return {
    run: (task) => perform(task, { host, sdk, runner: runnerFor(task.file) }),
    close: async () => {
      for (const runner of runners.values()) await runner.close();
    },
  };
}

interface Place {
  readonly host: ActivityHost;
  readonly sdk: ActivityModule;
  readonly runner: EffectRunner;
}

async function perform(task: EffectTask, { host, sdk, runner }: Place): Promise<EffectDone> {
  const { request } = task;
  const activity = sdk.Context.current();
  const redactor = createRedactor([
    ...(host.secrets ?? []),
    ...keyValuesIn(host.env),
    ...secretsIn(request, host.env),
  ]);
  const effect = neverRejecting<EffectRequest>((what, context) => runner.run(what, context));
  const context = contextOf(task, activity, redactor);
  const beating = setInterval(() => activity.heartbeat(), HEARTBEAT_EVERY_MS);
  try {
    const { result, changes } = await host.breakers.guard(request, () => effect(request, context));
    const told = changes.length === 0 ? {} : { changes };
    if (!result.ok) throw failed(task, { ...result, ...told }, { host, sdk, activity, redactor });
    const { ok: _ok, ...done } = result;
    const sizeBytes = jsonBytes(done);
    if (sizeBytes <= MAX_PAYLOAD_BYTES) return { ...done, ...told };
    const failure = tooLargeOutput(request, sizeBytes);
    throw failed(task, { ok: false, failure, ...told }, { host, sdk, activity, redactor });
  } finally {
    clearInterval(beating);
  }
}

function contextOf(
  { run, request }: EffectTask,
  { cancellationSignal }: ActivityContext,
  redactor: Redactor,
): EffectContext {
  return {
    signal: cancellationSignal,
    attempt: request.attempt,
    idempotencyKey: request.ref.key,
    run,
    node: request.node.name,
    path: request.path,
    redactor,
  };
}

interface FailingPlace extends Omit<Place, 'runner'> {
  readonly activity: ActivityContext;
  readonly redactor: Redactor;
}

function failed(
  task: EffectTask,
  result: EffectFailure & Pick<EffectRest, 'changes'>,
  { host, sdk, activity, redactor }: FailingPlace,
): Error {
  const { ok: _ok, failure, thrown, output, ...others } = result;
  const { request } = task;
  const isCarried = output !== undefined && jsonBytes({ output }) <= MAX_PAYLOAD_BYTES;
  const rest = isCarried ? { ...others, output } : others;
  // stopped with this worker, not by the run: whoever takes it over knows as little as after a crash
  const isStopped = activity.cancellationDetails?.workerShutdown === true;
  const draft: ReportDraft = isStopped
    ? lostDraft(new Error('The worker was shut down'), request.node.name, request.ref)
    : failure;
  const report = buildReport(draft, { stamp: stampOf(task, draft), redactor });
  if (thrown !== undefined) host.onInternal?.(toInternalRecord(thrown, report, redactor));
  const error = sdk.ApplicationFailure.create(
    toFailure(report, {
      given: Object.keys(draft),
      // an effect gives JSON
      rest: { ...rest, ...(isStopped ? { isLost: true } : {}) } as unknown as JsonObject,
    }),
  );
  // a stack holds host paths, and Temporal shows it to everyone
  error.stack = '';
  return error;
}

/** The same for the internal record here and for the report that people see. */
function stampOf({ run, request }: EffectTask, { kind }: ReportDraft): Stamp {
  const words = [run, request.path, request.ref.key, request.attempt, kind];
  return { id: `err_${hashText(words.join('\u0000'))}`, at: new Date().toISOString() };
}

/** The values behind `${VAR}` in the places of a plan that hold secrets. */
function secretsIn({ server, work }: EffectRequest, env: EffectHost['env']): readonly string[] {
  const provider = work.type === 'model' ? work.provider : undefined;
  const written = [
    ...Object.values(server?.settings.env ?? {}),
    ...Object.values(server?.settings.headers ?? {}),
    ...Object.values(provider?.headers ?? {}),
    ...(provider?.apiKey === undefined ? [] : [provider.apiKey]),
  ];
  return written
    .filter((text) => text.includes('${'))
    .map((text) => expandEnvironment(text, env).text)
    .filter((text) => text !== '');
}
