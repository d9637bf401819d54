/**
 * The extensions of one Errand: those of the host, and those that its files name. They are loaded
 * when a file that names them is read, started before a run, and stopped in the opposite order when
 * everything is over. Whatever of that fails is typed, and what had been started is stopped again.
 */
import { MACHINE_CLOCK } from '../../effects/clock.ts';
import type { ReadExtension } from '../../effects/extension/read-extension.ts';
import type { NamedGuard } from '../../effects/run-guards.ts';
import type { Callables } from '../../effects/module/find-callable.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { foreignWords } from '../../errors/thrown/describe-thrown.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { orderExtensions } from '../../machine/ports/extension-order.ts';
import type { Extension, ExtensionParts } from '../../machine/ports/extension-port.ts';
import type { EventSink } from './event-sink.ts';

const LOAD_MS = 30_000;
const STOP_MS = 5000;

interface Held extends ReadExtension {
  readonly sink: EventSink | undefined;
  isStarted: boolean;
}

export interface ExtensionsOptions {
  /** Extensions that the host registers. */
  readonly registered: readonly Extension[];
  /** Base of the paths. */
  readonly base: string;
  /** Called with failures that belong to no run: of a sink, or of a stop. */
  readonly onWarning: (error: ErrorReport) => void;
}

/** Everything that the loaded extensions add, under the names that files use. */
export interface Added {
  readonly tools: Callables;
  readonly nodes: Callables;
  readonly models: Readonly<Record<string, unknown>>;
  readonly providers: Readonly<Record<string, unknown>>;
  readonly guards: readonly NamedGuard[];
}

export class Extensions {
  readonly #options: ExtensionsOptions;
  /** In the order of their start. */
  #held: readonly Held[] = [];
  #last: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: ExtensionsOptions) {
    this.#options = options;
  }

  /** Loads the extensions of the host and of these modules; each once. Rejects with `extension.*`. */
  load(modules: readonly string[]): Promise<void> {
    return this.#inTurn(() => this.#loadAll(modules));
  }

  /** Rejects with `extension.lifecycle`; then none that this call has started is left running. After a stop it starts none. */
  start(): Promise<void> {
    return this.#inTurn(() => this.#startAll());
  }

  /** Never rejects: an extension that cannot be stopped is reported. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#held.flatMap(({ sink }) => sink?.close(STOP_MS) ?? []));
    // an extension that is just being started is stopped too
    await this.#inTurn(() => this.#stopAll(this.#held.filter(({ isStarted }) => isStarted)));
  }

  tell(event: RunEvent): void {
    for (const { sink } of this.#held) sink?.enqueue(event);
  }

  get added(): Added {
    const named = (part: 'tools' | 'nodes'): Callables =>
      Object.fromEntries(
        this.#held.flatMap(({ name, parts }) =>
          Object.entries(parts[part] ?? {}).map(([key, value]) => [`${name}.${key}`, value]),
        ),
      );
    const all = (part: 'models' | 'providers'): Record<string, unknown> =>
      Object.fromEntries(this.#held.flatMap(({ parts }) => Object.entries(parts[part] ?? {})));
    return {
      tools: named('tools'),
      nodes: named('nodes'),
      models: all('models'),
      providers: all('providers'),
      guards: this.#held.flatMap(({ name, parts: { guard: check } }) =>
        check === undefined ? [] : [{ name: `the extension ${name}`, check }],
      ),
    };
  }

  /** A part of the extension of that name. */
  part<K extends 'store' | 'render'>(name: string, part: K): ExtensionParts[K] | undefined {
    return this.#held.find((held) => held.name === name)?.parts[part];
  }

  /** The names that exist, for the error about another. */
  having(part: 'store' | 'render'): readonly string[] {
    return this.#held.filter(({ parts }) => parts[part] !== undefined).map(({ name }) => name);
  }

  /**
   * One at a time, or two files that name one extension would both load it, and two runs both start
   * it.
   */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #loadAll(modules: readonly string[]): Promise<void> {
    // most workflows have none, and need not pay for what reads them
    if (this.#options.registered.length === 0 && modules.length === 0) return;
    const { isExtension, readExtension } =
      await import('../../effects/extension/read-extension.ts');
    const { loadExports } = await import('../../effects/module/load-module.ts');
    const read: ReadExtension[] = [...this.#held];
    const take = async (value: unknown, owner: string): Promise<void> => {
      if (read.some(({ declared }) => declared === value)) return;
      read.push(await readExtension(value, owner));
    };
    for (const value of this.#options.registered) await take(value, 'the host');
    for (const path of modules) {
      const { name, values } = await loadExports(path, { base: this.#options.base });
      const found = values.filter(isExtension);
      if (found.length === 0) throw exportsNone(name);
      for (const value of found) await take(value, `the module ${name}`);
    }
    const held: Held[] = [];
    for (const each of orderExtensions(read)) held.push(await this.#loaded(each));
    this.#held = held;
  }

  async #loaded(read: ReadExtension): Promise<Held> {
    const known = this.#held.find(({ declared }) => declared === read.declared);
    if (known !== undefined) return known;
    const { name, hooks } = read;
    let loaded: unknown;
    try {
      loaded = await withinTime(hooks.load, LOAD_MS);
    } catch (thrown) {
      throw lifecycle(name, 'loaded', thrown);
    }
    const { checkLoaded, readParts } = await import('../../effects/extension/read-extension.ts');
    const { EventSink: Sink } = await import('./event-sink.ts');
    const what = `the extension ${name}`;
    const more = await readParts(checkLoaded(loaded, what), what);
    const parts = joined(read.parts, more);
    const { sink: listen } = parts;
    const sink =
      listen === undefined
        ? undefined
        : new Sink(name, listen, (error) => this.#options.onWarning(error));
    return { ...read, parts, sink, isStarted: false };
  }

  async #startAll(): Promise<void> {
    const begun: Held[] = [];
    for (const held of this.#held) {
      if (held.isStarted || this.#isStopped) continue;
      try {
        await withinTime(held.hooks.start, LOAD_MS);
      } catch (thrown) {
        await this.#stopAll(begun);
        throw lifecycle(held.name, 'started', thrown);
      }
      held.isStarted = true;
      begun.push(held);
    }
  }

  async #stopAll(started: readonly Held[]): Promise<void> {
    for (const held of started.toReversed()) {
      held.isStarted = false;
      try {
        await withinTime(held.hooks.stop, STOP_MS);
      } catch (thrown) {
        this.#options.onWarning(toReport(lifecycle(held.name, 'stopped', thrown)));
      }
    }
  }
}

function joined(parts: ExtensionParts, more: ExtensionParts): ExtensionParts {
  const maps = (['tools', 'nodes', 'models', 'providers'] as const).flatMap((part) =>
    parts[part] === undefined && more[part] === undefined
      ? []
      : [[part, { ...parts[part], ...more[part] }] as const],
  );
  return { ...parts, ...more, ...Object.fromEntries(maps) };
}

async function withinTime(hook: (() => unknown) | undefined, timeoutMs: number): Promise<unknown> {
  if (hook === undefined) return undefined;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const stopTimer = MACHINE_CLOCK.after(timeoutMs, () =>
    reject(new Error(`It took longer than ${timeoutMs} ms`)),
  );
  try {
    return await Promise.race([hook(), late]);
  } finally {
    stopTimer();
  }
}

function lifecycle(name: string, phase: string, thrown: unknown): ErrandError {
  return new ErrandError(
    {
      kind: 'extension.lifecycle',
      message: `The extension ${name} could not be ${phase}: ${foreignWords(thrown)}`,
      details: { extension: name, phase },
    },
    { cause: thrown },
  );
}

function exportsNone(module: string): ErrandError {
  return new ErrandError({
    kind: 'extension.contract',
    message: `The module ${module} exports no extension`,
    details: { module },
    action: {
      kind: 'fix_code',
      detail: "Write export const acme = extension({name: 'acme', contract: 1, …}) in it.",
    },
  });
}
