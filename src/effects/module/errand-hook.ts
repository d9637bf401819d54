/**
 * Resolves `errand` in a workflow's module to the Errand that runs it, whether or not it is installed
 * beside the module. The imports of the host and of installed packages are not changed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks, type ResolveHookContext, type ResolveFnOutput } from 'node:module';
import { fileURLToPath } from 'node:url';
import { ownExtension } from '../../errors/support/own-extension.ts';
import { codeOf } from '../process/system-code.ts';

/** Entries of the package. They must resolve to the running copy, not to another one on disk. */
const ENTRIES: Readonly<Record<string, string>> = {
  errand: 'index',
  'errand/ai-sdk': 'ai-sdk/index',
  'errand/classify': 'classify',
  'errand/errors': 'errors/index',
  'errand/server': 'server/index',
  'errand/stores': 'stores/index',
  'errand/temporal': 'temporal',
  'errand/testing': 'rehearsal/index',
  'errand/workflow': 'workflow/authoring/define',
};

const EXTENSION = ownExtension(import.meta.url);

type NextResolve = (specifier: string, context?: Partial<ResolveHookContext>) => ResolveFnOutput;

/** Modules of workflows and the files that they import, each with what it imports itself. */
const belonging = new Map<string, Set<string>>();
let isInstalled = false;

/** Marks the file at that URL as a workflow's module. */
export function adoptModule(url: string): void {
  belong(url);
  if (isInstalled) return;
  registerHooks({ resolve });
  isInstalled = true;
}

/**
 * The file at that URL and its imports, direct or not, in order of distance. Excludes files that
 * this process loaded before the file was adopted.
 */
export function filesFrom(url: string): ReadonlySet<string> {
  const found = new Set([url]);
  // iterating over a set also visits items added on the way
  for (const each of found) for (const imported of belonging.get(each) ?? []) found.add(imported);
  return found;
}

function belong(url: string): void {
  if (!belonging.has(url)) belonging.set(url, new Set());
}

function resolve(
  specifier: string,
  context: ResolveHookContext,
  next: NextResolve,
): ResolveFnOutput {
  const { parentURL = '' } = context;
  const imports = belonging.get(parentURL);
  const isInside = imports !== undefined;
  if (/^errand(\/|$)/.test(specifier)) {
    return isInside
      ? running(specifier, context, next)
      : installedOrRunning(specifier, context, next);
  }
  const resolved = next(specifier, context);
  if (!isInside && !belonging.has(specifier)) return resolved;
  if (!resolved.url.startsWith('file:') || resolved.url.includes('/node_modules/')) return resolved;
  belong(resolved.url);
  imports?.add(resolved.url);
  return withFormat(resolved);
}

function running(
  specifier: string,
  context: ResolveHookContext,
  next: NextResolve,
): ResolveFnOutput {
  // other files, such as errand/catalog.json, resolve by the package's own name from inside it
  if (!Object.hasOwn(ENTRIES, specifier)) return next(specifier, { parentURL: import.meta.url });
  const url = entryOf(specifier, EXTENSION);
  // a bundle has no such file; an installed copy is used if there is one
  if (url === undefined || !existsSync(url)) return next(specifier, context);
  return { url: url.href, shortCircuit: true };
}

/** Returns where that entry of the running copy is. */
function entryOf(specifier: string, extension: string): URL | undefined {
  const file = `../../${ENTRIES[specifier]}${extension}`;
  return URL.canParse(file, import.meta.url) ? new URL(file, import.meta.url) : undefined;
}

/** A package of tools uses the copy installed with it, else the running one. */
function installedOrRunning(
  specifier: string,
  context: ResolveHookContext,
  next: NextResolve,
): ResolveFnOutput {
  try {
    const installed = next(specifier, context);
    // the command has its own package in another form, and must not be loaded twice
    const isRunning = installed.url === entryOf(specifier, '.js')?.href;
    return isRunning ? running(specifier, context, next) : installed;
  } catch (thrown) {
    if (codeOf(thrown) !== 'ERR_MODULE_NOT_FOUND' && codeOf(thrown) !== 'MODULE_NOT_FOUND')
      throw thrown;
    return running(specifier, context, next);
  }
}

const IS_MODULE =
  /^\s*(?:import\s*[\w{*'"]|export\s+(?:default|const|let|var|function|async|class|type|interface|abstract|\{|\*))/m;
const IS_COMMON_JS = /\bmodule\.exports\b|^\s*exports\./m;

/** Formats that Node reports when only a missing or project-wide `type` makes a file CommonJS. */
const UNSURE: ReadonlySet<unknown> = new Set([null, undefined, 'commonjs', 'commonjs-typescript']);

/**
 * Loads a file with ES module syntax as an ES module. Node would try both formats and print a warning
 * with host paths, or refuse the file for the `"type": "commonjs"` that `npm init` writes.
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
    // loading the file reports why it cannot be read
    return '';
  }
}
