/**
 * Hides host paths: an absolute path shows where and as whom a process runs. Outside the internal record
 * only the last name of such a path is shown. Folders of this machine are known and hidden wherever they are;
 * other paths are recognised by their roots. Addresses and API routes are not host paths and stay.
 */
import { hideKnownFolders } from './host-folders.ts';

/** Folders at the root of a machine, of a container or of a build. */
const ROOTS = `home Users root tmp var private opt usr etc mnt media srv proc run dev bin sbin lib
  lib64 snap Volumes Library Applications System workspace workspaces work builds? github __w app
  apps nix data code src repo project projects scratch nfs gpfs lustre afs`
  .split(/\s+/)
  .join('|');

/** A path that ends in one of these is a file, whatever it begins with. */
const FILES = `[cm]?[jt]sx? py rb go rs java kt cs php sh bash ps1 ya?ml toml ini env pem key log
  sqlite db so dll node lock`
  .split(/\s+/)
  .join('|');

const NAME = `[^\\s/\\\\'"\`<>|:;,()\\[\\]{}]`;
/** Not in the middle of a name or an address, and not `./` or `../`; after `...` it is a path of its own. */
const STARTS = `(?<![\\w~/…]|(?<!\\.)\\.|(?<!\\.)\\.\\.)(?:(?<!:)/{1,4}|(?<=:)/(?!/))`;

const QUOTED = new RegExp(
  `(["'\`])(?:file://)?(?:/(?:${ROOTS})|[A-Za-z]:[\\\\/]{1,2}[^\\\\/"'\`\\n]+)[\\\\/][^"'\`\\n]*(?=\\1)`,
  'g',
);
const FILE_URL = /file:\/\/[^\s'"`<>|;,()[\]{}]+/g;
const POSIX = new RegExp(`${STARTS}(?:${ROOTS})(?:/${NAME}+)+`, 'g');
const POSIX_FILE = new RegExp(`${STARTS}${NAME}+(?:/${NAME}+)+\\.(?:${FILES})(?![\\w/])`, 'g');
const WINDOWS = new RegExp(
  `(?<![\\w/])[A-Za-z]:[\\\\/]{1,2}(?:${NAME}+[\\\\/]{1,2})*${NAME}+`,
  'g',
);
const SHARE = new RegExp(`(?<![\\w\\\\:])\\\\\\\\{1,3}${NAME}+(?:\\\\{1,2}${NAME}+)+`, 'g');

const PATTERNS = [FILE_URL, WINDOWS, SHARE, POSIX, POSIX_FILE];

/** For views of people and clients. */
export function hideHostPaths(text: string): string {
  return hidePathShapes(hideKnownFolders(text));
}

/** By shape only: the same on every machine, as the decisions of a run must be. */
export function hidePathShapes(text: string): string {
  if (!text.includes('/') && !text.includes('\\')) return text;
  const unquoted = text.replace(QUOTED, (path, quote: string) => quote + lastName(path));
  return PATTERNS.reduce((rest, pattern) => rest.replace(pattern, lastName), unquoted);
}

/** The folder of a person is named after the person, so its name is not shown either. */
const HOME = /(?:^|[\\/])(?:home|Users)[\\/]{1,2}[^\\/]+$/;

function lastName(path: string): string {
  return HOME.test(path) ? '…' : `…/${path.split(/[\\/]/).at(-1) ?? ''}`;
}
