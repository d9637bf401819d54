/**
 * Absolute paths tell where and as whom a process runs. Outside the internal record only the last
 * name of such a path is shown. Addresses and API routes are not host paths and stay.
 */
const ROOTS = [
  'home',
  'Users',
  'root',
  'tmp',
  'var',
  'private',
  'opt',
  'usr',
  'etc',
  'mnt',
  'srv',
  'proc',
  'run',
  'Volumes',
  'Library',
  'Applications',
  'workspace',
  'workspaces',
  'work',
  'builds?',
  'github',
  'app',
  'nix',
  'data',
].join('|');

const POSIX = new RegExp(
  `(?<![\\w.:/~-]|\\w/)(?:file://)?/(?:${ROOTS})(?:/[^\\s/'"\`<>|:;,)\\]}]{1,255}){1,64}`,
  'g',
);
const WINDOWS = /(?<![\w/])(?:file:\/\/\/)?[A-Za-z]:[\\/](?:[^\s\\/'"`<>|:;,)\]}]{1,255}[\\/]){0,64}[^\s\\/'"`<>|:;,)\]}]{1,255}/g;
const FILE_URL = /file:\/\/[^\s'"`<>|;,)\]}]{1,2048}/g;

export function hideHostPaths(text: string): string {
  if (!text.includes('/') && !text.includes('\\')) return text;
  return text.replace(FILE_URL, lastName).replace(POSIX, lastName).replace(WINDOWS, lastName);
}

/** The same for every string within a JSON value. */
export function hideHostPathsDeep<T>(value: T): T {
  if (typeof value === 'string') return hideHostPaths(value) as T & string;
  if (Array.isArray(value)) return value.map((item: unknown) => hideHostPathsDeep(item)) as T & unknown[];
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    hideHostPaths(key),
    hideHostPathsDeep(item),
  ]);
  return Object.fromEntries(entries) as T & object;
}

function lastName(path: string): string {
  return `…/${path.split(/[\\/]/).at(-1) ?? ''}`;
}
