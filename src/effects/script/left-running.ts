/**
 * Finds scripts that outlived the Errand that started them. Each process of a script has the run and the
 * idempotency key in its environment from its start, so nothing needs to be stored to find it: on Linux
 * the environment of a process can be read. A process that clears its environment is not found, and on
 * other systems none is.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { endGroup } from '../process/process-group.ts';

interface Found {
  readonly pid: number;
  readonly group: number;
}

/** Ids of the processes of this effect that are still running. */
export function leftRunning(run: string, key: string): readonly number[] {
  return find(run, key).map(({ pid }) => pid);
}

/** True when none is left. */
export async function endLeftRunning(run: string, key: string): Promise<boolean> {
  const groups = new Set(find(run, key).map(({ group }) => group));
  await Promise.all([...groups].map((group) => endGroup(group)));
  return find(run, key).length === 0;
}

function find(run: string, key: string): readonly Found[] {
  if (process.platform !== 'linux') return [];
  const marks = [`ERRAND_RUN=${run}`, `ERRAND_IDEMPOTENCY_KEY=${key}`];
  const own = Number(statOf('self')?.[2]);
  return readdirSync('/proc').flatMap((name): Found[] => {
    if (!/^\d+$/.test(name) || !hasAll(name, marks)) return [];
    const [state, , group] = statOf(name) ?? [];
    const isThere = state !== undefined && state !== 'Z' && state !== 'X';
    // an Errand started by a script inherits its environment, and must not find itself
    return isThere && Number(group) !== own ? [{ pid: Number(name), group: Number(group) }] : [];
  });
}

function hasAll(pid: string, marks: readonly string[]): boolean {
  const text = textOf(`/proc/${pid}/environ`);
  if (text === undefined || !marks.every((mark) => text.includes(mark))) return false;
  const variables = text.split('\0');
  return marks.every((mark) => variables.includes(mark));
}

/** The fields behind the name, which may itself hold spaces and brackets: state, parent, group. */
function statOf(pid: string): readonly string[] | undefined {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // it ended meanwhile, or belongs to another user
    return undefined;
  }
}
