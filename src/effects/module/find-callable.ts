/**
 * Finds the function or tool for a name: first among those of the host, then in the module of the node's
 * file. A registered value is read when it is first used.
 */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { suggest } from '../../errors/support/suggest.ts';
import { quoted } from '../../workflow/diagnostics/diagnostic-words.ts';
import type { AnyTool } from '../../workflow/authoring/define-tool.ts';
import { readCallable, type Callable, type Run } from './callable.ts';
import type { ToolDescription } from '../../workflow/authoring/tool-description.ts';
import { loadModule, type LoadedModule, type LoadOptions } from './load-module.ts';

/** Declared as a method, so that a function may have a narrower input type than JSON. */
type AnyFunction = { call(...parameters: Parameters<Run>): unknown }['call'];

/** Plain functions and declared tools, by name. */
export type Callables = Readonly<Record<string, AnyFunction | AnyTool>>;

export interface CallableHost extends LoadOptions {
  readonly functions?: Callables;
  readonly tools?: Callables;
}

export type FindCallable = (
  type: 'call' | 'tool',
  name: string,
  module?: string,
) => Callable | Promise<Callable>;

/** Rejects when the module cannot be loaded, a declaration is wrong, or the name is unknown. */
export function createFindCallable(host: CallableHost): FindCallable {
  const read = new Map<unknown, Promise<Callable>>();
  const found = new Map<string, { readonly value: unknown; readonly callable: Callable }>();
  const ofHost = async (name: string, value: unknown): Promise<Callable> => {
    const known = read.get(value) ?? readRegistered(name, value);
    read.set(value, known);
    const first = await known;
    // one tool may be registered under several names
    const callable = first.name === name ? first : { ...first, name };
    found.set(name, { value, callable });
    return callable;
  };
  return (type, name, module) => {
    const registered =
      type === 'call' ? [host.functions, host.tools] : [host.tools, host.functions];
    const holder = registered.find((all) => all !== undefined && Object.hasOwn(all, name));
    if (holder === undefined) return ofModule(host, type, name, module);
    const value: unknown = holder[name];
    const known = found.get(name);
    return known !== undefined && known.value === value ? known.callable : ofHost(name, value);
  };
}

async function ofModule(
  host: CallableHost,
  type: 'call' | 'tool',
  name: string,
  module: string | undefined,
): Promise<Callable> {
  const loaded = module === undefined ? undefined : await loadModule(module, host);
  const callable = loaded?.callables.get(name);
  if (callable !== undefined) return callable;
  throw notFound(type, name, { host, loaded });
}

/** Describes the registered callables for validation; throws `extension.contract` for a wrong declaration. */
export async function describeCallables(
  callables: Callables,
): Promise<Readonly<Record<string, ToolDescription>>> {
  const described = Object.entries(callables).map(
    async ([name, value]) => [name, (await readRegistered(name, value)).describes] as const,
  );
  return Object.fromEntries(await Promise.all(described));
}

async function readRegistered(name: string, value: unknown): Promise<Callable> {
  const reading = await readCallable(name, value, 'the host');
  if (reading.type === 'callable') return reading.callable;
  throw new ErrandError({
    kind: 'extension.contract',
    message: `The host registered ${quoted(name)}, which ${reading.what}`,
    details: { name },
    action: { kind: 'fix_code', detail: 'Register a function, or a tool made by tool({…}).' },
  });
}

function notFound(
  type: 'call' | 'tool',
  name: string,
  { host, loaded }: { readonly host: CallableHost; readonly loaded: LoadedModule | undefined },
): ErrandError {
  const noun = type === 'call' ? 'function' : 'tool';
  const what = loaded?.others.get(name);
  const known = [host.functions, host.tools].flatMap((all) => Object.keys(all ?? {}));
  const meant = suggest(name, [...known, ...(loaded?.callables.keys() ?? [])]);
  return new ErrandError({
    kind: type === 'tool' ? 'tool.not_found' : 'validation.node_config',
    outcome: 'not_started',
    message:
      what === undefined || loaded === undefined
        ? `There is no ${noun} called ${quoted(name)}`
        : `${quoted(name)} of the module ${loaded.name} ${what}`,
    details: { name, ...(loaded === undefined ? {} : { module: loaded.name }) },
    action: { kind: 'fix_file', detail: advice(name, { meant, what, loaded }) },
  });
}

function advice(
  name: string,
  {
    meant,
    what,
    loaded,
  }: {
    readonly meant: string | undefined;
    readonly what: string | undefined;
    readonly loaded: LoadedModule | undefined;
  },
): string {
  if (what === undefined && meant !== undefined)
    return `Write ${quoted(meant)}, or export ${name}.`;
  if (loaded === undefined)
    return `Name a module after \`module:\` in the workflow file, and export ${name} from it.`;
  return `Export ${name} from ${loaded.name} as a function, or as tool({…}).`;
}
