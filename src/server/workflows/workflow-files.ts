/** The files that a server serves: named files, and files in named folders. */
import { readdirSync, readFileSync, statSync, type Dirent } from 'node:fs';
import { basename, extname, join, relative, resolve, sep } from 'node:path';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { workflowNameIn } from '../../workflow/yaml/workflow-name.ts';

export interface WorkflowFile {
  /** By `workflow.name`, or by its base name where that cannot be read. */
  readonly name: string;
  /** Absolute path. */
  readonly path: string;
  /** As people write it: from the folder of the server. */
  readonly file: string;
}

/** New files are found within two seconds; a folder is not searched again before then. */
const FOLDER_MS = 1000;
const MAX_FILES = 5000;
const MAX_DEPTH = 12;

interface ReadName {
  readonly stamp: string;
  /** Undefined for a file that is no workflow. */
  readonly name: string | undefined;
}

export class WorkflowFiles {
  readonly #base: string;
  readonly #named: readonly string[];
  readonly #now: () => number;
  readonly #names = new Map<string, ReadName>();
  #found: { readonly atMs: number; readonly paths: readonly string[] } | undefined;

  /** Throws `validation.input` for a named file that is not there. */
  constructor(base: string, named: readonly string[], now: () => number) {
    this.#base = base;
    this.#now = now;
    this.#named = (named.length === 0 ? ['.'] : named).map((path) => resolve(base, path));
    for (const path of this.#named)
      if (statSync(path, { throwIfNoEntry: false }) === undefined)
        throw new ErrandError({
          kind: 'validation.input',
          message: `There is no file or folder ${relative(base, path) || path}`,
          action: {
            kind: 'change_input',
            detail: 'Name workflow files, or folders that have some.',
          },
        });
  }

  /** As they are now. */
  all(): readonly WorkflowFile[] {
    return this.#paths().flatMap((path) => {
      const name = this.#nameOf(path);
      return name === undefined ? [] : [{ name, path, file: this.#shown(path) }];
    });
  }

  #paths(): readonly string[] {
    const nowMs = this.#now();
    if (this.#found !== undefined && nowMs - this.#found.atMs < FOLDER_MS) return this.#found.paths;
    const paths = new Set<string>();
    for (const path of this.#named)
      for (const file of isFolder(path) ? filesBelow(path, 0) : [path]) paths.add(file);
    this.#found = { atMs: nowMs, paths: [...paths].slice(0, MAX_FILES) };
    return this.#found.paths;
  }

  /** Undefined for a file of a folder that is no workflow; a named file always counts as one. */
  #nameOf(path: string): string | undefined {
    const stamp = stampOf(path);
    if (stamp === undefined) return this.#named.includes(path) ? baseName(path) : undefined;
    const known = this.#names.get(path);
    if (known?.stamp === stamp) return known.name;
    const read = readName(path);
    const isMeant = read.isWorkflow || this.#named.includes(path);
    const name = isMeant ? (read.name ?? baseName(path)) : undefined;
    this.#names.set(path, { stamp, name });
    return name;
  }

  #shown(path: string): string {
    return (relative(this.#base, path) || path).split(sep).join('/');
  }
}

/** Changes with the content of a file; undefined where there is none. */
export function stampOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? undefined : `${found.mtimeNs}:${found.size}:${found.ino}`;
}

function readName(path: string): ReturnType<typeof workflowNameIn> {
  try {
    return workflowNameIn(readFileSync(path, 'utf8'));
  } catch {
    // a file that cannot be read is listed when it was named
    return { isWorkflow: false };
  }
}

function baseName(path: string): string {
  return basename(path, extname(path));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function filesBelow(folder: string, depth: number): readonly string[] {
  if (depth > MAX_DEPTH) return [];
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return entry.name.startsWith('.') || entry.name === 'node_modules'
        ? []
        : filesBelow(path, depth + 1);
    return entry.isFile() && /\.ya?ml$/i.test(entry.name) ? [path] : [];
  });
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    );
  } catch {
    // a folder that may not be read has nothing to serve
    return [];
  }
}
