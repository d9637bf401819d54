/**
 * The activity at a worker: one call of one effect, run as it is locally. A failure fails the
 * activity with its report, so that Temporal shows the kind.
 */
import { dirname, resolve } from 'node:path';
import { keyValuesIn } from '../../effects/model/key-values.ts';
import {
  cancelledBefore,
  neverRejecting,
  type EffectContext,
  type EffectFailure,
  type EffectResult,
} from '../../effects/effect-port.ts';
import { buildReport } from '../../errors/report/build.ts';
import { toInternalRecord, type InternalRecord } from '../../errors/thrown/internal-record.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { createRedactor, tellingRedactor, type Redactor } from '../../errors/redaction/redact.ts';
import type { ReportDraft, Stamp } from '../../errors/report/report.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import { secretsIn } from '../../workflow/yaml/secret-values.ts';
import { hashText } from '../../workflow/plan/stable-hash.ts';
import type { Breakers } from '../run/breakers.ts';
import {
  createEffectRunner,
  notCallable,
  type EffectHost,
  type EffectRunner,
} from '../run/effect-runner.ts';
import type { Extensions } from '../loading/extensions.ts';
import { refuseLackingAt } from '../run/run-requirements.ts';
import { lostDraft, storableDraft, toTemporalFailure } from './temporal-failure.ts';
import type { EffectDone, EffectRest, EffectTask } from './messages.ts';
import { jsonBytes, MAX_PAYLOAD_BYTES, tooLargeOutput } from './sizes/payload-size.ts';
import type { ActivityContext, ActivityModule } from './temporal-sdk.ts';
import { secretsAt, withSecrets } from './secrets/fill-secrets.ts';
import { isStillAwaited, type AwaitedOptions } from './still-awaited.ts';
import { WatchedLegs } from './legs/watched-legs.ts';

export interface ActivityHost extends Omit<EffectHost, 'directory' | 'base' | 'extensions'> {
  /** Folder of workflow files, modules and scripts on this machine. */
  readonly base: string;
  /** Extensions of the worker; those of its runs are added when the first effect needs them. */
  readonly extensions: Pick<Extensions, 'added' | 'load' | 'start'>;
  readonly secrets?: readonly string[];
  /** Called with each secret that a task brings. */
  readonly onSecret?: (secret: string) => void;
  readonly breakers: Breakers;
  /** How to know that Temporal still waits for an effect before it begins. */
  readonly awaited: AwaitedOptions;
  /** Watches the calls. Default: nobody does. */
  readonly legs?: Pick<WatchedLegs, 'around'>;
  readonly onInternal?: (record: InternalRecord) => void;
}

export interface EffectActivity {
  run(task: EffectTask): Promise<EffectDone>;
  close(): Promise<void>;
}

/** Often enough for Temporal's throttle; more costs nothing. */
const HEARTBEAT_EVERY_MS = 200;

export function createEffectActivity(host: ActivityHost, sdk: ActivityModule): EffectActivity {
  const runners = new Runners(host);
  return {
    run: (task) => perform(task, { host, sdk, runners }),
    close: () => runners.close(),
  };
}

/** One for each folder of workflows and the extensions that they name. */
class Runners {
  readonly #host: ActivityHost;
  readonly #made = new Map<string, Promise<EffectRunner>>();

  constructor(host: ActivityHost) {
    this.#host = host;
  }

  /** Rejects with `extension.*`; the next call tries again. */
  async of({ file, extensions = [] }: EffectTask): Promise<EffectRunner> {
    const directory = dirname(resolve(this.#host.base, file));
    const name = [directory, ...extensions].join('\u0000');
    const making = this.#made.get(name) ?? this.#make(directory, extensions);
    this.#made.set(name, making);
    try {
      return await making;
    } catch (failure) {
      this.#made.delete(name);
      throw failure;
    }
  }

  async close(): Promise<void> {
    for (const made of await Promise.allSettled(this.#made.values()))
      if (made.status === 'fulfilled') await made.value.close();
  }

  async #make(directory: string, extensions: readonly string[]): Promise<EffectRunner> {
    if (extensions.length > 0) {
      await this.#host.extensions.load(extensions);
      await this.#host.extensions.start();
    }
    return createEffectRunner({ ...this.#host, directory });
  }
}

interface ActivityParts {
  readonly host: ActivityHost;
  readonly sdk: ActivityModule;
  readonly runners: Runners;
}

async function perform(
  task: EffectTask,
  { host, sdk, runners }: ActivityParts,
): Promise<EffectDone> {
  const { request } = task;
  const activity = sdk.Context.current();
  const known = [...(host.secrets ?? []), ...keyValuesIn(host.env)];
  const redactor = tellingRedactor(createRedactor(known), host.onSecret);
  const { secrets } = task;
  const ofRun = secrets === undefined ? [] : secretsAt(secrets, host.env);
  for (const secret of [...secretsOf(request, host.env), ...ofRun]) redactor.learn?.(secret);
  const effect = neverRejecting<EffectRequest>(async (what, context) => {
    const runner = await runners.of(task).catch((thrown: unknown) => notCallable(thrown, context));
    if (!('run' in runner)) return runner;
    let whole = what;
    try {
      await refuseLackingAt(what, task.file, runner.lacks);
      if (secrets !== undefined) whole = withSecrets(what, secrets, host.env);
    } catch (thrown) {
      return notCallable(thrown, context);
    }
    const isAwaited = await isStillAwaited(activity.info, host.awaited).catch((thrown: unknown) =>
      notCallable(thrown, context),
    );
    if (isAwaited === true) return runner.run(whole, context);
    // nobody reads this error: Temporal refuses the result of an activity that it has given up
    return isAwaited === false
      ? cancelledBefore(what.ref.type === 'model' ? 'cancelled.call' : 'cancelled.tool')
      : isAwaited;
  });
  const context = contextOf(task, activity, redactor);
  const legs = host.legs ?? new WatchedLegs(undefined);
  const beating = setInterval(() => activity.heartbeat(), HEARTBEAT_EVERY_MS);
  try {
    const { result: raw, changes } = await host.breakers.guard(request, () =>
      legs.around(task, redactor, (watched) => effect(request, { ...context, ...watched })),
    );
    const result = withStorableDrafts(raw, redactor);
    const changed = changes.length === 0 ? {} : { changes };
    if (!result.ok)
      throw failed(task, { ...result, ...changed }, { host, sdk, activity, redactor });
    const { ok: _ok, ...done } = result;
    const sizeBytes = jsonBytes(done);
    if (sizeBytes <= MAX_PAYLOAD_BYTES) return { ...done, ...changed };
    const failure = tooLargeOutput(request, sizeBytes);
    const unusable = { ok: false, failure, isUnusable: true } as const;
    throw failed(task, { ...unusable, ...changed }, { host, sdk, activity, redactor });
  } finally {
    clearInterval(beating);
  }
}

/** Temporal stores the suppressed failures of a result in the history of the workflow. */
function withStorableDrafts(result: EffectResult, redactor: Redactor): EffectResult {
  const suppressed = result.suppressed?.map((each) => ({
    ...each,
    failure: storableDraft(each.failure, redactor),
  }));
  const beside = suppressed === undefined ? {} : { suppressed };
  if (!result.ok) return { ...result, ...beside };
  const errors = result.errors?.map((draft) => storableDraft(draft, redactor));
  return { ...result, ...beside, ...(errors === undefined ? {} : { errors }) };
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

interface FailedActivity extends Omit<ActivityParts, 'runners'> {
  readonly activity: ActivityContext;
  readonly redactor: Redactor;
}

function failed(
  task: EffectTask,
  result: EffectFailure & Pick<EffectRest, 'changes'>,
  { host, sdk, activity, redactor }: FailedActivity,
): Error {
  const { ok: _ok, failure, thrown, output, ...others } = result;
  const { request } = task;
  const isCarried = output !== undefined && jsonBytes({ output }) <= MAX_PAYLOAD_BYTES;
  const rest = isCarried ? { ...others, output } : others;
  // stopped with this worker, not by the run: its outcome is as unknown as after a crash
  const isStopped = activity.cancellationDetails?.workerShutdown === true;
  const draft: ReportDraft = isStopped
    ? lostDraft(new Error('The worker was shut down'), request.node.name, request.ref)
    : failure;
  const report = buildReport(draft, { stamp: stampOf(task, draft), redactor });
  if (thrown !== undefined) host.onInternal?.(toInternalRecord(thrown, report, redactor));
  const error = sdk.ApplicationFailure.create(
    toTemporalFailure(report, {
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

/** The secrets that are filled into a plan where an effect is executed. */
function secretsOf({ server, work }: EffectRequest, env: EffectHost['env']): readonly string[] {
  const provider = work.type === 'model' ? work.provider : undefined;
  const written = [
    ...Object.entries(server?.settings.env ?? {}),
    ...Object.entries(server?.settings.headers ?? {}),
    ...(server?.settings.args ?? []).map((arg) => ['args', arg] as const),
    ...(server?.settings.command === undefined
      ? []
      : [['command', server.settings.command] as const]),
    ...(server?.settings.url === undefined ? [] : [['url', server.settings.url] as const]),
    ...Object.entries(provider?.headers ?? {}),
    ...(provider?.apiKeyCommand ?? []).map((word) => ['api_key_command', word] as const),
    ...(provider?.baseUrl === undefined ? [] : [['base_url', provider.baseUrl] as const]),
    ...(provider?.apiKey === undefined ? [] : [['api_key', provider.apiKey] as const]),
    ...(work.type === 'script' ? Object.entries(work.env) : []),
  ];
  return written.flatMap(([name, text]) =>
    secretsIn({ name, written: text, use: 'credential' }, env),
  );
}
