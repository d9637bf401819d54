/** Runs effects: one request, one call, one result. Never throws. */
import { resolve } from 'node:path';
import { failureOfBug, type EffectContext, type EffectResult } from '../../effects/effect-port.ts';
import type { McpServers } from '../../effects/mcp/mcp-servers.ts';
import type { ModelEffectOptions } from '../../effects/model/model-host.ts';
import type { Callables, FindCallable } from '../../effects/module/find-callable.ts';
import type { createFileFetch } from '../../effects/fetch/fetch-tool.ts';
import type { Callable } from '../../effects/module/callable.ts';
import type { LoadOptions } from '../../effects/module/load-module.ts';
import type { NamedGuard } from '../../effects/run-guards.ts';
import { endLeftRunning, leftRunning } from '../../effects/script/left-running.ts';
import type { ScriptRequest } from '../../effects/script/script-effect.ts';
import type { callCallable, recheckCallable } from '../../effects/function/call-callable.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { hideKnownFolders } from '../../errors/redaction/host-folders.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { EffectInput } from '../../machine/decide/effect-input.ts';
import type { EffectRef } from '../../machine/state/events.ts';
import type { FetchOptions, WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { Extensions } from '../loading/extensions.ts';
import type { FindMissing, MissingRequirement, Requirement } from './run-requirements.ts';
import { LazyResource } from '../loading/lazy-resource.ts';

export interface EffectHost {
  /** Registered after what the host registers itself. */
  readonly extensions?: Pick<Extensions, 'added'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that scripts run in unless their node names another. */
  readonly directory: string;
  /** Win over those of a module; `call` nodes search here first. */
  readonly functions: Callables;
  /** `tool` nodes search here first. */
  readonly tools?: Callables;
  /** Check each call of a tool, before those of a workflow's module. */
  readonly guards?: readonly NamedGuard[];
  /** May be connected already; closed with this runner. Default: its own. */
  readonly servers?: McpServers;
  /** Base of the paths in a plan. Default: the folder of the process. */
  readonly base?: string;
  /** Models and providers that the host registers, beside those known by name. */
  readonly models?: NonNullable<ModelEffectOptions['models']>;
  readonly providers?: NonNullable<ModelEffectOptions['providers']>;
  /** Makes keys when they are needed, by provider. */
  readonly credentials?: NonNullable<ModelEffectOptions['credentials']>;
  /** How long a module may take to be imported. */
  readonly importTimeoutMs?: number;
}

export type LeftRunning = (run: string, effect: EffectRef) => readonly number[];

export interface EffectRunner {
  run(request: EffectRequest, context: EffectContext): Promise<EffectResult>;
  /** Processes of an effect that outlived the Errand that started it. Default: none are known. */
  leftRunning?: LeftRunning;
  /** Ends those: TERM, then KILL. */
  endLeftRunning?: (run: string, effect: EffectRef) => Promise<void>;
  /** Absent: whatever a run names is there. */
  readonly lacks?: FindMissing;
  /** Digests of the files of a plan's modules, by path from its file. Absent: it has no modules. */
  readonly modules?: (plan: WorkflowPlan) => Promise<Readonly<Record<string, string>>>;
  close(): Promise<void>;
}

export function createEffectRunner(host: EffectHost): EffectRunner {
  const parts = partsOf(host);
  return {
    run: (request, context) => {
      const { made } = parts.callables;
      // a function may take less time than the promises around it would
      return request.work.type === 'call' && made !== undefined
        ? callNamed(made, request, context)
        : runLoaded(host, parts, { request, context });
    },
    leftRunning: (run, { type, key }) => (type === 'script' ? leftRunning(run, key) : []),
    endLeftRunning: async (run, { type, key }) => {
      if (type === 'script') await endLeftRunning(run, key);
    },
    lacks: async (needs) => {
      const { find } = await parts.callables.get();
      const looked = await Promise.all(needs.map((need) => lackOf(need, find)));
      return looked.filter((lack) => lack !== undefined);
    },
    modules: async (plan) => {
      const { moduleDigests } = await import('../../effects/module/plan-modules.ts');
      return moduleDigests(plan, loadOptions(host));
    },
    close: async () => {
      await Promise.all([
        parts.sandbox.ifMade(({ close }) => close()),
        host.servers?.close() ?? parts.servers.ifMade((servers) => servers.close()),
      ]);
    },
  };
}

/** Loads what the effect needs, where it is the first of its kind. */
async function runLoaded(
  host: EffectHost,
  parts: EffectParts,
  { request, context }: { readonly request: EffectRequest; readonly context: EffectContext },
): Promise<EffectResult> {
  const { work, timeoutMs, outputSchema } = request;
  switch (work.type) {
    case 'script':
      return (await parts.script.get())(scriptRequest(host, request, work), context);
    case 'transform': {
      const { transform } = await parts.sandbox.get();
      return transform({ code: work.code, input: work.input, outputSchema }, context);
    }
    case 'call':
      return callNamed(await parts.callables.get(), request, context);
    case 'tool': {
      const refusal = await guarded(host, request, context);
      if (refusal !== undefined) return refusal;
      return withoutFolders(
        request.server === undefined
          ? await callNamed(await parts.callables.get(), request, context)
          : await callServer(await parts.servers.get(), request, context),
      );
    }
    case 'model':
      if (work.call.model.startsWith('sim/')) {
        const playWithin = await parts.simulator.get();
        return playWithin({ timeouts: work.timeouts, timeoutMs })(work.call, context);
      }
      return (await parts.model.get())(
        {
          call: work.call,
          directory: host.directory,
          ...(work.provider === undefined ? {} : { settings: work.provider }),
          ...(work.timeouts === undefined ? {} : { timeouts: work.timeouts }),
          ...(work.refreshesKey === true ? { refreshesKey: true } : {}),
          ...(timeoutMs === undefined ? {} : { timeoutMs }),
        },
        context,
      );
  }
}

/**
 * A model may read the message and decide by it, and a decision must be the same on any machine.
 */
function withoutFolders(result: EffectResult): EffectResult {
  if (result.ok) return result;
  const message = hideKnownFolders(result.failure.message);
  if (message === result.failure.message) return result;
  return { ...result, failure: { ...result.failure, message } };
}

/** Asks the guards before the tool itself is loaded. */
async function guarded(
  host: EffectHost,
  { work, guardedBy = [], isApproved = false }: EffectRequest,
  context: EffectContext,
): Promise<EffectResult | undefined> {
  if (work.type !== 'tool') return undefined;
  try {
    const guards = [...(host.guards ?? []), ...(host.extensions?.added.guards ?? [])];
    for (const module of guardedBy) {
      const { loadModule } = await import('../../effects/module/load-module.ts');
      guards.push(...(await loadModule(module, loadOptions(host))).guards);
    }
    if (guards.length === 0) return undefined;
    const { askGuards } = await import('../../effects/run-guards.ts');
    return await askGuards(guards, { ...work, isApproved }, context);
  } catch (thrown) {
    return notCallable(thrown, context);
  }
}

function loadOptions({ base, importTimeoutMs }: EffectHost): LoadOptions {
  return {
    ...(base === undefined ? {} : { base }),
    ...(importTimeoutMs === undefined ? {} : { timeoutMs: importTimeoutMs }),
  };
}

type EffectParts = ReturnType<typeof partsOf>;

/** Loads each with the first effect of its kind: a run of scripts needs no model. */
function partsOf(host: EffectHost) {
  const { env } = host;
  return {
    script: new LazyResource(async () => {
      const { createScriptEffect } = await import('../../effects/script/script-effect.ts');
      return createScriptEffect({ env });
    }),
    sandbox: new LazyResource(async () => {
      const { createSandbox } = await import('../../effects/sandbox/sandbox.ts');
      const { createTransformEffect } = await import('../../effects/transform-effect.ts');
      const sandbox = createSandbox();
      return { transform: createTransformEffect(sandbox), close: () => sandbox.close() };
    }),
    model: new LazyResource(async () => {
      const { createModelEffect } = await import('../../effects/model/model-effect.ts');
      return createModelEffect({
        env,
        // the AI SDK checks what an extension registers
        models: { ...host.extensions?.added.models, ...host.models } as NonNullable<
          EffectHost['models']
        >,
        providers: { ...host.extensions?.added.providers, ...host.providers } as NonNullable<
          EffectHost['providers']
        >,
        ...(host.credentials === undefined ? {} : { credentials: host.credentials }),
      });
    }),
    simulator: new LazyResource(
      async () => (await import('../../effects/simulator/play-model.ts')).playModelWithin,
    ),
    servers: new LazyResource(async () => {
      if (host.servers !== undefined) return host.servers;
      const { createMcpServers } = await import('../../effects/mcp/mcp-servers.ts');
      return createMcpServers({ env, directory: host.directory });
    }),
    callables: new LazyResource(async () => {
      const { createFindCallable } = await import('../../effects/module/find-callable.ts');
      const { callCallable, recheckCallable } =
        await import('../../effects/function/call-callable.ts');
      const find = createFindCallable({
        functions: { ...host.extensions?.added.nodes, ...host.functions },
        tools: { ...host.extensions?.added.tools, ...host.tools },
        ...loadOptions(host),
      });
      return { find: withFileFetch(host, find), call: callCallable, recheck: recheckCallable };
    }),
  };
}

function scriptRequest(
  { directory }: EffectHost,
  request: EffectRequest,
  work: Extract<EffectInput, { type: 'script' }>,
): ScriptRequest {
  const { timeoutMs, outputSchema } = request;
  return {
    command: work.command,
    args: work.args,
    env: work.env,
    cwd: resolve(directory, work.workingDir ?? '.'),
    exitCodes: request.node.type === 'script' ? request.node.exitCodes : [0],
    keepsTruncated: keepsTruncated(request),
    stdin: work.stdin,
    isAgain: request.isAgain ?? false,
    isIdempotent: request.isIdempotent,
    timeoutMs,
    outputSchema,
    recorded: request.recorded,
  };
}

function keepsTruncated({ node }: EffectRequest): boolean {
  return 'keepsTruncated' in node && node.keepsTruncated === true;
}

type FindFor = (
  type: 'call' | 'tool',
  name: string,
  source: Pick<EffectRequest, 'module' | 'fetch'>,
) => Callable | Promise<Callable>;

async function lackOf(need: Requirement, find: FindFor): Promise<MissingRequirement | undefined> {
  try {
    await find(need.type, need.name, need);
    return undefined;
  } catch (thrown) {
    // an unknown name, or a module that cannot be loaded
    return { need, why: toReport(thrown) };
  }
}

/** Each file has its own `http_fetch`; a tool that the host registers under that name wins. */
function withFileFetch(host: EffectHost, find: FindCallable): FindFor {
  let fileFetch: ReturnType<typeof createFileFetch> | undefined;
  const fetchTool = async (settings: FetchOptions): Promise<Callable> => {
    fileFetch ??= (await import('../../effects/fetch/fetch-tool.ts')).createFileFetch();
    return fileFetch(settings);
  };
  return (type, name, { module, fetch }) =>
    fetch === undefined || Object.hasOwn({ ...host.functions, ...host.tools }, name)
      ? find(type, name, module)
      : fetchTool(fetch);
}

interface Callers {
  readonly find: FindFor;
  readonly call: typeof callCallable;
  readonly recheck: typeof recheckCallable;
}

async function callNamed(
  { find, call, recheck }: Callers,
  request: EffectRequest,
  context: EffectContext,
): Promise<EffectResult> {
  const { work, isIdempotent, isNeverRepeated, timeoutMs, outputSchema } = request;
  if (work.type !== 'call' && work.type !== 'tool') throw new TypeError('not a call');
  try {
    const name = work.type === 'call' ? work.function : work.tool;
    const found = find(work.type, name, request);
    const callable = found instanceof Promise ? await found : found;
    const { type, arguments: input } = work;
    const called = {
      type,
      callable,
      input,
      isIdempotent,
      isNeverRepeated,
      timeoutMs,
      limitMs: request.node.timeoutMs,
      outputSchema,
      keepsTruncated: keepsTruncated(request),
    };
    const { recorded } = request;
    const again =
      recorded === undefined ? undefined : await recheck(called, recorded.output, context);
    return again ?? (await call(called, context));
  } catch (thrown) {
    return notCallable(thrown, context);
  }
}

function callServer(
  servers: McpServers,
  request: EffectRequest,
  context: EffectContext,
): Promise<EffectResult> {
  const { work, server, isIdempotent, isNeverRepeated, timeoutMs, outputSchema } = request;
  if (work.type !== 'tool' || server === undefined) throw new TypeError('not a tool of a server');
  return servers.call(
    {
      server,
      tool: work.tool.slice(server.name.length + 1),
      arguments: work.arguments,
      isIdempotent,
      isNeverRepeated,
      timeoutMs,
      outputSchema,
      keepsTruncated: keepsTruncated(request),
      recorded: request.recorded,
    },
    context,
  );
}

/** Nothing was started: the module, the name or the declaration is unusable. */
export function notCallable(thrown: unknown, { redactor }: EffectContext): EffectResult {
  const failure = failureOfBug(thrown, { redactor });
  return { ok: false, failure: { ...failure, outcome: 'not_started' }, thrown };
}
