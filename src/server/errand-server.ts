/**
 * `errand/server`: runs as a service. One server stands on one engine; any host of `fetch` can serve it.
 */
import { MACHINE_CLOCK } from '../effects/clock.ts';
import type { Progress } from '../engine/run/running-effects.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import { secretPartsOfAddress } from '../workflow/yaml/address-secrets.ts';
import { Access } from './access/request-access.ts';
import { hostName } from './access/hosts.ts';
import { mintedToken, tokensIn, type Token } from './access/access-tokens.ts';
import { checkServerOptions } from './check-options.ts';
import type { ServerCore } from './core.ts';
import { createApp } from './http/app.ts';
import { problemResponse, reportOfThrown } from './http/problem-response.ts';
import type {
  ErrandServer,
  ErrandServerOptions,
  HostedServerOptions,
  RequestHost,
} from './server-options.ts';
import { mcpRoute, type McpRoute } from './routes/mcp.ts';
import { dashboardPage } from './routes/page.ts';
import { allRoutes } from './routes/routes.ts';
import { RunHost } from './run-host.ts';
import { logFileNotes } from './workflows/file-notes.ts';
import { webhookSecrets } from './webhooks/webhook-signature.ts';
import { webhookAddress } from './webhooks/webhook-address.ts';

export type { ErrandServer, ErrandServerOptions } from './server-options.ts';

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
  checkServerOptions(options);
  return new HostedServer(options);
}

/** A server as the command holds it. */
export class HostedServer implements ErrandServer {
  readonly #host: RunHost;
  readonly #core: ServerCore;
  readonly #app: ReturnType<typeof createApp>;
  readonly #mcp: McpRoute;
  readonly #minted: Token | undefined;
  readonly #log: (line: string) => void;

  constructor(options: HostedServerOptions) {
    const { env = process.env, clock = MACHINE_CLOCK, authorize, allowEdit = false } = options;
    const base = checkedBase(options.basePath ?? '');
    const given = authorize === undefined ? tokensIn(env, { allowEdit }) : [];
    this.#minted =
      authorize === undefined && given.length === 0 ? mintedToken({ allowEdit }) : undefined;
    const tokens = this.#minted === undefined ? given : [this.#minted];
    const publicUrl = checkedUrl(options.publicUrl);
    const addresses = (options.webhook ?? []).map(webhookAddress);
    const secrets = addresses.length === 0 ? [] : webhookSecrets(env['ERRAND_WEBHOOK_SECRET']);
    const log = options.onLog ?? ((): void => undefined);
    this.#log = log;
    this.#host = new RunHost({
      ...options,
      base,
      ownSecrets: [
        ...tokens.map(({ secret }) => secret),
        ...addresses.flatMap(({ url }) => secretPartsOfAddress(url)),
      ],
      webhooks: { addresses, secrets },
    });
    const { core } = this.#host;
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
      notes: async () => (await core.engine()).sharedNotes(),
      authorize,
      log,
      redactor: core.redactor,
    });
    this.#core = { ...core, access };
    const dashboard = dashboardPage(this.#core);
    this.#mcp = mcpRoute(this.#core);
    this.#app = createApp({
      routes: allRoutes(this.#core, { pages: dashboard.routes, mcp: this.#mcp.route }),
      page: dashboard.page,
      access,
      base,
      redactor: core.redactor,
      allowEdit,
      log,
    });
  }

  get token(): string {
    return this.#minted?.secret ?? '';
  }

  /** Passes on the text of a model that another engine of this process calls. */
  noteProgress(progress: Progress): void {
    this.#host.noteProgress(progress);
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

  /** Opens the store, and begins to continue runs. Rejects with `store.*`. */
  open(): Promise<void> {
    return this.#host.open();
  }

  /** Logs which files cannot be run. */
  logFileNotes(): Promise<void> {
    return logFileNotes(this.#core.workflows, this.#log);
  }

  async close(): Promise<void> {
    this.#host.stop();
    await this.#mcp.settled();
    await this.#host.close();
    await this.#mcp.close();
  }
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
