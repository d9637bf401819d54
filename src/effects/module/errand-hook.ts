/**
 * In a workflow's module, `errand` is the Errand that runs it: installed or not, wherever the module
 * lies. Only there: the host's own imports, and what packages find for themselves, stay as they are.
 */
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks, type ResolveHookContext, type ResolveFnOutput } from 'node:module';
import { fileURLToPath } from 'node:url';
import { codeOf } from '../system-code.ts';

/** The code that the package exports; it has to be the copy that runs, not another one on disk. */
const ENTRIES: Readonly<Record<string, string>> = {
  errand: 'index',
  'errand/errors': 'errors/index',
  'errand/temporal': 'temporal',
  'errand/workflow': 'workflow/define',
};

/** Sources in a checkout, `dist` in an installed package. */
const EXTENSION = String(import.meta.url).endsWith('.ts') ? '.ts' : '.js';

type NextResolve = (specifier: string, context?: Partial<ResolveHookContext>) => ResolveFnOutput;

/** The modules of workflows, and the files that belong to them because they import them. */
const belonging = new Set<string>();
let isInstalled = false;

/** From now on the file at that address is a workflow's module. */
export function adoptModule(url: string): void {
  belonging.add(url);
  if (isInstalled) return;
  registerHooks({ resolve });
  isInstalled = true;
}

function resolve(
  specifier: string,
  context: ResolveHookContext,
  next: NextResolve,
): ResolveFnOutput {
  const { parentURL = '' } = context;
  const isInside = belonging.has(parentURL);
  if (/^errand(\/|$)/.test(specifier)) {
    return isInside
      ? running(specifier, context, next)
      : installedOrRunning(specifier, context, next);
  }
  const resolved = next(specifier, context);
  if (!isInside && !belonging.has(specifier)) return resolved;
  if (!resolved.url.startsWith('file:') || resolved.url.includes('/node_modules/')) return resolved;
  belonging.add(resolved.url);
  return withFormat(resolved);
}

function running(
  specifier: string,
  context: ResolveHookContext,
  next: NextResolve,
): ResolveFnOutput {
  const entry = Object.hasOwn(ENTRIES, specifier) ? ENTRIES[specifier] : undefined;
  // the rest, such as errand/catalog.json, is found by the package's own name from inside of it
  if (entry === undefined) return next(specifier, { parentURL: import.meta.url });
  const file = `../../${entry}${EXTENSION}`;
  const url = URL.canParse(file, import.meta.url) ? new URL(file, import.meta.url) : undefined;
  // a bundle has no such file, and the copy that is installed there is as good as none or better
  if (url === undefined || !existsSync(url)) return next(specifier, context);
  return { url: url.href, shortCircuit: true };
}

/** A package of tools has the copy that it was installed with, and ours where there is none. */
function installedOrRunning(
  specifier: string,
  context: ResolveHookContext,
  next: NextResolve,
): ResolveFnOutput {
  try {
    return next(specifier, context);
  } catch (thrown) {
    if (codeOf(thrown) !== 'ERR_MODULE_NOT_FOUND' && codeOf(thrown) !== 'MODULE_NOT_FOUND')
      throw thrown;
    return running(specifier, context, next);
  }
}

const IS_MODULE =
  /^\s*(?:import\s*[\w{*'"]|export\s+(?:default|const|let|var|function|async|class|type|interface|abstract|\{|\*))/m;
const IS_COMMON_JS = /\bmodule\.exports\b|^\s*exports\./m;

/** What Node says of a file where nothing or a package.json of the project says that it is CommonJS. */
const UNSURE: ReadonlySet<unknown> = new Set([null, undefined, 'commonjs', 'commonjs-typescript']);

/**
 * What is plainly a module is taken as one. Node would try both and warn, with host paths, of a cost
 * that does not matter here, or refuse it for the `"type": "commonjs"` that `npm init` writes.
 */
function withFormat(resolved: ResolveFnOutput): ResolveFnOutput {
  const extension = /\.[jt]s$/.exec(resolved.url)?.[0];
  if (extension === undefined || !UNSURE.has(resolved.format)) return resolved;
  const text = readText(resolved.url);
  if (!IS_MODULE.test(text) || IS_COMMON_JS.test(text)) return resolved;
  return { ...resolved, format: extension === '.ts' ? 'module-typescript' : 'module' };
}

function readText(url: string): string {
  try {
    return readFileSync(fileURLToPath(url), 'utf8');
  } catch {
    // whoever loads it says why it cannot be read
    return '';
  }
}
