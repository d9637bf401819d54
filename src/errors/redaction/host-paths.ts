/**
 * Hides host paths: an absolute path shows where and as whom a process runs. Outside the internal record
 * only the last name of such a path is shown. Addresses and API routes are not host paths and stay.
 */

/** Folders at the root of a machine, of a container or of a build. */
const ROOTS = `home Users root tmp var private opt usr etc mnt media srv proc run dev bin sbin lib
  lib64 snap Volumes Library Applications System workspace workspaces work builds? github __w app
  apps nix data code src repo project projects`
  .split(/\s+/)
  .join('|');

/** A path that ends in one of these is a file, whatever it begins with. */
const FILES = `[cm]?[jt]sx? py rb go rs java kt cs php sh bash ps1 ya?ml toml ini env pem key log
  sqlite db so dll node lock`
  .split(/\s+/)
  .join('|');

const NAME = `[^\\s/\\\\'"\`<>|:;,()\\[\\]{}]`;
const STARTS = `(?<![\\w.~/…-])`;

const QUOTED = new RegExp(
  `(["'\`])(?:file://)?(?:/(?:${ROOTS})|[A-Za-z]:[\\\\/]{1,2}[^\\\\/"'\`\\n]+)[\\\\/][^"'\`\\n]*(?=\\1)`,
  'g',
);
const FILE_URL = /file:\/\/[^\s'"`<>|;,()[\]{}]+/g;
const POSIX = new RegExp(`${STARTS}/(?:${ROOTS})(?:/${NAME}+)+`, 'g');
const POSIX_FILE = new RegExp(`${STARTS}(?:/${NAME}+){2,}\\.(?:${FILES})(?![\\w/])`, 'g');
const WINDOWS = new RegExp(
  `(?<![\\w/])[A-Za-z]:[\\\\/]{1,2}(?:${NAME}+[\\\\/]{1,2})*${NAME}+`,
  'g',
);
const SHARE = new RegExp(`(?<![\\w\\\\:])\\\\\\\\{1,3}${NAME}+(?:\\\\{1,2}${NAME}+)+`, 'g');

const PATTERNS = [FILE_URL, WINDOWS, SHARE, POSIX, POSIX_FILE];

export function hideHostPaths(text: string): string {
  if (!text.includes('/') && !text.includes('\\')) return text;
  const unquoted = text.replace(QUOTED, (path, quote: string) => quote + lastName(path));
  return PATTERNS.reduce((rest, pattern) => rest.replace(pattern, lastName), unquoted);
}

/** The same for every string within a JSON value. */
export function hideHostPathsDeep<T>(value: T): T;
export function hideHostPathsDeep(value: unknown): unknown {
  if (typeof value === 'string') return hideHostPaths(value);
  if (Array.isArray(value)) return value.map((item: unknown) => hideHostPathsDeep(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [
    hideHostPaths(key),
    hideHostPathsDeep(item),
  ]);
  return Object.fromEntries(entries);
}

/** The folder of a person is named after the person, so its name is not shown either. */
const HOME = /(?:^|[\\/])(?:home|Users)[\\/]{1,2}[^\\/]+$/;

function lastName(path: string): string {
  return HOME.test(path) ? '…' : `…/${path.split(/[\\/]/).at(-1) ?? ''}`;
}
