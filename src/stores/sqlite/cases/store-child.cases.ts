/**
 * A process of its own that uses a store, for tests that kill it or race it: `node
 * store-child.cases.ts PATH TASK [ARGUMENT [UID]]`. Prints each fact as one line of JSON, written before
 * anything else can happen.
 */
import { writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ErrandError } from '../../../errors/thrown/errand-error.ts';
import type { Claim, ClaimOwner, RunStore } from '../../../machine/ports/store-port.ts';
import { openSqliteStore } from '../sqlite.ts';
import { newRun } from '../../conformance/scene.ts';

/** The content of the commit at `seq`, to compare later. */
export function loopEvents(run: string, seq: number): readonly object[] {
  return [
    { seq, run, padding: 'x'.repeat((seq * 37) % 900) },
    { seq: seq + 1, run },
  ];
}

const OWNER: ClaimOwner = {
  id: `child-${process.pid}`,
  host: 'here',
  pid: process.pid,
  processStartedAt: String(process.pid),
};

const TASKS: Readonly<Record<string, (path: string, argument: string) => Promise<void>>> = {
  /** Appends to some runs for ever, and prints each commit once it is acknowledged. */
  'append-loop': async (path, argument) => {
    const store = await open(path, argument === 'full' ? 'full' : 'normal');
    await Promise.all(['run-1', 'run-2', 'run-3'].map((run) => appendForEver(store, run)));
  },

  /** Creates one run and prints the result. */
  create: async (path, argument) => {
    const store = await open(path, 'full');
    await store.create(newRun(argument, { owner: OWNER }));
    say({ done: argument });
    await store.close();
  },

  /**
   * Claims a run on the first line of input, prints whether it has it, and holds it until the next
   * line.
   */
  claim: async (path, argument) => {
    const store = await open(path, 'normal');
    say({ ready: true });
    await nextLine();
    const request = { run: argument, owner: OWNER, leaseMs: 60_000, isAlive: () => true };
    const claim = await store.claim(request).catch(failureOf);
    say('epoch' in claim ? { claimed: claim.epoch } : claim);
    await nextLine();
    await store.close();
  },

  /** Holds the database in a mode until the next line of input. */
  lock: async (path, argument) => {
    const db = new DatabaseSync(path, { timeout: 2000 });
    db.exec(argument);
    say({ ready: true });
    await nextLine();
    db.close();
  },
};

async function appendForEver(store: RunStore, run: string): Promise<void> {
  const { claim, nextSeq: first } = await resumeOrCreate(store, run);
  for (let seq = first; ;) {
    const { nextSeq } = await store.append({ claim, seq, events: loopEvents(run, seq) });
    say({ run, through: nextSeq - 1 });
    seq = nextSeq;
  }
}

async function resumeOrCreate(
  store: RunStore,
  run: string,
): Promise<{ claim: Claim; nextSeq: number }> {
  const isThere = (await store.list()).some((summary) => summary.run === run);
  if (!isThere) {
    const events = loopEvents(run, 1);
    const { claim, head } = await store.create(newRun(run, { events, owner: OWNER }));
    return { claim, nextSeq: head.nextSeq };
  }
  const claim = await store.claim({ run, owner: OWNER, leaseMs: 60_000, isAlive: () => false });
  return { claim, nextSeq: (await store.get(run)).head.nextSeq };
}

function open(path: string, durability: 'full' | 'normal'): Promise<RunStore> {
  return openSqliteStore({ path, now: () => Date.now(), durability });
}

function failureOf(error: unknown): { failed: string } {
  if (error instanceof ErrandError) return { failed: error.kind };
  throw error;
}

function say(fact: object): void {
  writeSync(1, `${JSON.stringify(fact)}\n`);
}

function nextLine(): Promise<void> {
  return new Promise((resolve) => process.stdin.once('data', () => resolve()));
}

/** For good: with the rights of root nothing would be refused. */
function become(uid: number): void {
  process.setgroups?.([]);
  process.setgid?.(uid);
  process.setuid?.(uid);
}

if (import.meta.main) {
  const [, , path = '', task = '', argument = '', uid] = process.argv;
  if (uid !== undefined) become(Number(uid));
  try {
    await TASKS[task]?.(path, argument);
  } catch (error) {
    say(failureOf(error));
  }
  process.stdin.destroy();
}
