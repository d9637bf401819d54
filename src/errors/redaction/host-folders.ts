/**
 * Folders of this machine that are recognised by name: the working folder, the home and temporary
 * folders, and those of projects. For effects, and for views of people and clients. No decision of
 * a run may use them, because the same log has to give the same decisions on every machine. Reads
 * the process if there is one; a browser has none.
 */
import { isPlainObject } from '../support/safe-json.ts';

interface Folder {
  readonly path: string;
  /** Named after a person, so not even its last name is shown. */
  readonly isHome: boolean;
}

interface HostProcess {
  readonly cwd?: () => string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const HOMES = ['HOME', 'USERPROFILE'];
const OTHERS = ['PWD', 'INIT_CWD', 'TMPDIR', 'TEMP', 'TMP', 'ERRAND_HOME', 'GITHUB_WORKSPACE'];

const added = new Set<string>();
let known: { readonly key: string; readonly pattern: RegExp | undefined } | undefined;
let homes: ReadonlySet<string> = new Set();

/** Adds the folder of a project to those that the process shows. */
export function addHostFolder(path: string): void {
  added.add(path);
}

/** Replaces each path inside of a known folder by its last name. */
export function hideKnownFolders(text: string): string {
  if (!text.includes('/') && !text.includes('\\') && !text.includes('%')) return text;
  const pattern = currentPattern();
  if (pattern === undefined) return text;
  return text.replace(pattern, (_, folder: string, rest: string) => {
    const names = rest.split(SEPARATORS).filter((name) => name !== '');
    const last = names.at(-1) ?? (homes.has(plain(folder)) ? undefined : nameIn(folder));
    return last === undefined ? '…' : `…/${last}`;
  });
}

function currentPattern(): RegExp | undefined {
  const host = hostProcess();
  const cwd = cwdOf(host);
  const key = `${cwd} ${added.size}`;
  if (known?.key === key) return known.pattern;
  const folders = foldersOf(host, cwd);
  homes = new Set(folders.filter(({ isHome }) => isHome).map(({ path }) => plain(path)));
  known = { key, pattern: patternOf(folders) };
  return known.pattern;
}

function hostProcess(): HostProcess {
  const host: unknown = Reflect.get(globalThis, 'process');
  return typeof host === 'object' && host !== null ? host : {};
}

function cwdOf({ cwd }: HostProcess): string {
  try {
    return typeof cwd === 'function' ? cwd() : '';
  } catch {
    // the folder was removed, so nobody knows its name
    return '';
  }
}

function foldersOf({ env }: HostProcess, cwd: string): readonly Folder[] {
  const valueOf = (name: string): string => (isPlainObject(env) ? String(env[name] ?? '') : '');
  const own = HOMES.map((name) => ({ path: valueOf(name), isHome: true }));
  const others = [cwd, ...added, ...OTHERS.map(valueOf)];
  return [...own, ...others.flatMap(withAncestors)].filter(({ path }) => isTelling(path));
}

/** A folder beside the project reveals as much about the machine as the project's own. */
function withAncestors(path: string): readonly Folder[] {
  const names = path.split(SEPARATORS);
  return names.map((_, at) => ({ path: names.slice(0, at + 1).join('/'), isHome: false }));
}

/** One name below the root (`/app`) reveals nothing, and routes of an API look the same. */
function isTelling(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path) && foldersIn(path).length >= 2;
}

function foldersIn(path: string): readonly string[] {
  return path.split(SEPARATORS).filter((name) => name !== '' && !/^[A-Za-z]:$/.test(name));
}

function nameIn(path: string): string | undefined {
  return foldersIn(path).at(-1);
}

function plain(path: string): string {
  return foldersIn(path).join('/');
}

const SEPARATORS = /[\\/]+|%(?:2f|5c)/gi;
const SEPARATOR = '(?:[\\\\/]+|%(?:2[fF]|5[cC]))';
const NAME = `[^\\s/\\\\'"\`<>|:;,()\\[\\]{}%]`;

/** The longest first; anything may stand before it, because nothing else has that name. */
function patternOf(folders: readonly Folder[]): RegExp | undefined {
  const paths = [
    ...new Set(folders.map(({ path }) => foldersIn(path).map(escaped).join(SEPARATOR))),
  ];
  if (paths.length === 0) return undefined;
  const longestFirst = paths.toSorted((a, b) => b.length - a.length).join('|');
  // any other start than the first separator would read the same ones again
  const start = `(?:file:)?(?:(?<![A-Za-z])[A-Za-z]:)?(?<![\\\\/])${SEPARATOR}`;
  return new RegExp(`${start}(${longestFirst})(?!${NAME})((?:${SEPARATOR}${NAME}*)*)`, 'g');
}

function escaped(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
