/**
 * Scripts that outlived the Errand that started them. Each process of a script has the run and the
 * idempotency key in its environment, from its first moment on and whatever was killed around it, so
 * nothing has to be written down to find it: where the system shows environments (Linux), it is asked.
 * What clears its environment is not found, and elsewhere nothing is.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { endGroup } from './process-group.ts';

interface Found {
  readonly pid: number;
  readonly group: number;
}

/** The processes of this effect that are still there, by id. */
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
    // an Errand that a script has started is part of that script, and does not look for itself
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
    // it ended meanwhile, or is someone else's
    return undefined;
  }
}
