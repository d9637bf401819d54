/**
 * `errand/server`: runs as a service. One server stands on one engine; any host of `fetch` can serve it.
 */
import { resolve } from 'node:path';
import { MACHINE_CLOCK } from '../effects/clock.ts';
import { keyValuesIn } from '../effects/model/key-values.ts';
import { openEngine, type Engine } from '../engine/errand.ts';
import type { Progress } from '../engine/run/running-effects.ts';
import { createRedactor } from '../errors/redaction/redact.ts';
import { renderLine } from '../errors/render/line.ts';
import type { ErrorReport } from '../errors/report/report.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import { createTelemetry, telemetryFault } from '../telemetry/telemetry.ts';
import { Access } from './access/access.ts';
import { hostName } from './access/hosts.ts';
import { mintedToken, tokensIn, type Token } from './access/tokens.ts';
import { beginCarryOn, type CarryOn, type CarryOnOptions } from './carry-on.ts';
import type { ServerCore } from './core.ts';
import { createApp, type RequestHost } from './http/app.ts';
import { problemResponse, reportOfThrown } from './http/problem.ts';
import type { ErrandServer, ErrandServerOptions, HostedServerOptions } from './options.ts';
import { dashboardPage } from './routes/page.ts';
import { allRoutes } from './routes/routes.ts';
import { AllChanges } from './runs/all-changes.ts';
import { Metrics } from './runs/metrics.ts';
import { RunFolds } from './runs/run-folds.ts';
import { RunReader } from './runs/run-reader.ts';
import { Chunks } from './stream/chunks.ts';
import { LogPages } from './stream/log-pages.ts';
import { OpenStreams } from './stream/open-streams.ts';
import { webhookSecrets } from './webhooks/signature.ts';
import { webhookAddress } from './webhooks/webhook-address.ts';
import { ServedWorkflows } from './workflows/served-workflows.ts';
import { WorkflowFiles } from './workflows/workflow-files.ts';

export type { ErrandServer, ErrandServerOptions } from './options.ts';

/** Effects under way have that long to end when a server stops. */
const GRACE_MS = 8000;

/**
 * Makes a server for the workflows of these files. Throws `validation.input` for options that cannot be
 * used; the store is opened with the first request.
 * @example
 * ```ts
 * import { createErrandServer } from 'errand/server';
 *
 * const server = createErrandServer({
 *   files: [],
 *   store: 'memory',
 *   authorize: () => ({ name: 'ada', role: 'run' }),
 * });
 * const response = await server.fetch(new Request('http://localhost/health'));
 * console.log(response.status); // 200
 * await server.close();
 * ```
 */
export function createErrandServer(options: ErrandServerOptions = {}): ErrandServer {
  return new HostedServer(options);
}

/** A server as the command holds it. */
export class HostedServer implements ErrandServer {
  readonly #options: HostedServerOptions;
  readonly #core: ServerCore;
  readonly #app: ReturnType<typeof createApp>;
  readonly #minted: Token | undefined;
  readonly #webhooks: CarryOnOptions['webhooks'];
  #opening: Promise<Engine> | undefined;
  #carryOn: CarryOn | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: HostedServerOptions) {
    this.#options = options;
    const { env = process.env, clock = MACHINE_CLOCK, authorize, allowEdit = false } = options;
    const directory = resolve(options.directory ?? '.');
    const base = checkedBase(options.basePath ?? '');
    const given = authorize === undefined ? tokensIn(env, { allowEdit }) : [];
    this.#minted =
      authorize === undefined && given.length === 0 ? mintedToken({ allowEdit }) : undefined;
    const tokens = this.#minted === undefined ? given : [this.#minted];
    const publicUrl = checkedUrl(options.publicUrl);
    const addresses = (options.webhook ?? []).map(webhookAddress);
    const secrets = addresses.length === 0 ? [] : webhookSecrets(env['ERRAND_WEBHOOK_SECRET']);
    this.#webhooks = { addresses, secrets };
    const redactor = createRedactor([
      ...keyValuesIn(env),
      ...(options.secrets ?? []),
      ...tokens.map(({ secret }) => secret),
    ]);
    const log = options.onLog ?? ((): void => undefined);
    const access = new Access({
      tokens,
      hosts: {
        names: allowedNames(options, publicUrl),
        origins: new Set((options.allowOrigin ?? []).map(checkedOrigin)),
        checksHost: authorize === undefined,
      },
      path: base === '' ? '/' : base,
      isSecure: publicUrl?.protocol === 'https:',
      isReadOnly: options.readOnly === true,
      now: () => clock.now(),
      notes: async () => (await this.#engine()).sharedNotes(),
      authorize,
      log,
    });
    const engine = (): Promise<Engine> => this.#engine();
    const folds = new RunFolds(engine);
    const files = new WorkflowFiles(directory, options.files ?? [], () => clock.now());
    this.#core = {
      engine,
      access,
      reader: new RunReader({ engine, clock, folds }),
      folds,
      workflows: new ServedWorkflows({ files, base: directory, engine }),
      streams: new OpenStreams(),
      chunks: new Chunks(),
      pages: new LogPages(engine, base),
      changes: new AllChanges({ engine, clock }),
      metrics: new Metrics(),
      clock,
      redactor,
      base,
      directory,
      allowEdit,
      lastRehearsal: options.lastRehearsal ?? (() => undefined),
      onlyStores: options.carryOn === false,
      carryOn: () => this.#carryOn,
    };
    const dashboard = dashboardPage(this.#core);
    this.#app = createApp({
      routes: allRoutes(this.#core, dashboard.routes),
      page: dashboard.page,
      access,
      base,
      redactor,
      allowEdit,
      log,
    });
  }

  get token(): string {
    return this.#minted?.secret ?? '';
  }

  /** Passes on the text of a model that another engine of this process calls. */
  noteProgress(progress: Progress): void {
    this.#core.chunks.note(progress);
  }

  /** Whether someone follows a run. */
  get hasReaders(): boolean {
    return this.#core.streams.size > 0;
  }

  async fetch(request: Request, host: RequestHost = {}): Promise<Response> {
    return this.#app.fetch(request, host);
  }

  /** The answer to a request that never became one. */
  refusal(thrown: unknown): Response {
    const { base, redactor } = this.#core;
    return problemResponse(reportOfThrown(thrown, redactor), { source: 'request', base });
  }

  /** Opens the store, and begins to carry runs on. Rejects with `store.*`. */
  async open(): Promise<void> {
    await this.#engine();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#core.streams.stop();
    this.#core.reader.changes.wakeAll();
    const engine = await this.#opening?.catch(() => undefined);
    await this.#carryOn?.stop({ graceMs: GRACE_MS });
    await engine?.close();
  }

  /** A store that is away now may be there with the next request. */
  #engine(): Promise<Engine> {
    this.#opening ??= this.#open().catch((thrown: unknown) => {
      this.#opening = undefined;
      throw thrown;
    });
    return this.#opening;
  }

  async #open(): Promise<Engine> {
    const {
      secrets = [],
      onWarning = this.#warn,
      carryOn = true,
      readOnly = false,
    } = this.#options;
    const { engine: own = {}, store, env, functions, tools, workflows } = this.#options;
    const { fetch, guard, models, providers, credentials, onInternal, extensions } = this.#options;
    const { reader, chunks, changes, metrics, access: _access, directory } = this.#core;
    const engine = await openEngine({
      ...definedOnly({ store, env, functions, tools, workflows, fetch, guard, models, providers }),
      ...definedOnly({ credentials, onInternal, extensions }),
      directory,
      secrets: [...secrets, ...this.#tokenSecrets()],
      onWarning,
      telemetry: createTelemetry({
        env: env ?? process.env,
        directory,
        onFault: (thrown) => onWarning(telemetryFault(thrown)),
      }),
      ...own,
      onEvent: (event) => {
        chunks.noteEvent(event);
        reader.note(event);
        changes.note(event);
        metrics.note(event);
        this.#carryOn?.note(event);
        this.#options.onEvent?.(event, async () => (await this.#engine()).events(event.run));
      },
      onProgress: (progress) => chunks.note(progress),
      onStoreCall: (seconds) => metrics.noteStore(seconds),
    });
    try {
      await engine.open();
      if (carryOn && !readOnly)
        this.#carryOn = await beginCarryOn(engine, {
          workflows: this.#core.workflows,
          maxRuns: this.#options.maxRuns ?? Infinity,
          clock: this.#core.clock,
          webhooks: this.#webhooks,
          onWarning,
        });
      return engine;
    } catch (thrown) {
      await engine.extensions.stop();
      throw thrown;
    }
  }

  #tokenSecrets(): readonly string[] {
    const { env = process.env, allowEdit = false, authorize } = this.#options;
    const given = authorize === undefined ? tokensIn(env, { allowEdit }) : [];
    return [...given, ...(this.#minted === undefined ? [] : [this.#minted])].map(
      ({ secret }) => secret,
    );
  }

  readonly #warn = (error: ErrorReport): void => {
    this.#options.onLog?.(renderLine(error));
  };
}

/** Options that are left out stay out. */
function definedOnly<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  // the keys that are left have values
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

function allowedNames(
  { host, allowHost = [] }: HostedServerOptions,
  publicUrl: URL | undefined,
): ReadonlySet<string> {
  const names = allowHost.map((name) => {
    const known = hostName(name);
    if (known !== undefined) return known;
    throw refused(
      `${name} is not the name of a host`,
      'Give --allow-host a name without a scheme.',
    );
  });
  const bound = hostName(host ?? null);
  return new Set([
    ...names,
    ...(bound === undefined ? [] : [bound]),
    ...(publicUrl === undefined ? [] : [publicUrl.hostname]),
  ]);
}

function checkedBase(base: string): string {
  if (base === '' || /^(?:\/[\w.~-]+)+$/.test(base)) return base;
  throw refused(
    `${base} is not a base path`,
    'Write it as /errand: with a slash before it and none after.',
  );
}

function checkedOrigin(origin: string): string {
  if (URL.canParse(origin) && new URL(origin).origin === origin) return origin;
  throw refused(`${origin} is not an origin`, 'Write it as https://example.com, without a path.');
}

function checkedUrl(url: string | undefined): URL | undefined {
  if (url === undefined) return undefined;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return new URL(url);
  throw refused(`${url} is not an address`, 'Write the public URL as https://example.com.');
}

function refused(message: string, detail: string): ErrandError {
  return new ErrandError({
    kind: 'validation.input',
    message,
    action: { kind: 'change_input', detail },
  });
}
