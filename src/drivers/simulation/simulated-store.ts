/**
 * The store as one process of the simulation sees it: commits can be slow, refused, or written
 * without a word; the claim can be lost; and the process can die around any commit. What a dead
 * process asks for is never done and never answered.
 */
import type { Commit, RunStore, StoredCommit } from '../../machine/store-port.ts';
import { unavailable } from '../../stores/failure.ts';

/** What can happen around one commit. */
export type CommitFault =
  | 'slow'
  | 'refused'
  | 'forgotten'
  | 'claim lost'
  | 'dies before'
  | 'dies after';

/** What the store of one process needs of the world around it. */
export interface StoreWorld {
  /** As it is now: its log may have lost its end meanwhile. */
  readonly store: RunStore;
  isAlive(): boolean;
  isOwnerAlive(owner: string): boolean;
  /** The fault of a commit that is about to be made, if any. */
  drawFault(run: string): CommitFault | undefined;
  /** How long a slow commit takes. */
  slowly(): Promise<void>;
  die(): void;
  /** Another process claims the run and lets it go. */
  stealClaim(run: string): Promise<void>;
  /** Called when the events are stored, whether the writer hears of it or not. */
  stored(run: string, events: readonly object[]): void;
  /** Gives a failure the time and an id of this world, so that the same seed tells the same. */
  stamp(thrown: unknown): unknown;
  /** The commit that is missing when the log is read now, if any. */
  drawDamage(commits: number): number | undefined;
  /** Says that a reader has come to the missing commit; false where nothing more may go wrong. */
  damaged(run: string): boolean;
}

export function simulatedStore(world: StoreWorld): RunStore {
  /** A dead process hears nothing; what it asks for is not done. */
  const alive = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (!world.isAlive()) return never();
    try {
      const answer = await ask();
      return world.isAlive() ? answer : await never();
    } catch (thrown) {
      throw world.stamp(thrown);
    }
  };
  const commit = <T>(run: string, events: readonly object[], write: () => Promise<T>) =>
    alive(() => commitWithFaults(world, { run, events }, write));
  return {
    create: (run) => commit(run.id, run.events, () => world.store.create(run)),
    append: (each: Commit) => commit(each.claim.run, each.events, () => world.store.append(each)),
    read: (run, fromSeq) => readLog(world, run, fromSeq),
    get: (run) => alive(() => world.store.get(run)),
    summary: (run) => alive(() => world.store.summary(run)),
    list: (query) => alive(() => world.store.list(query)),
    claim: (request) =>
      alive(() => world.store.claim({ ...request, isAlive: ({ id }) => world.isOwnerAlive(id) })),
    heartbeat: (claims, leaseMs) => alive(() => world.store.heartbeat(claims, leaseMs)),
    release: (claim) => alive(() => world.store.release(claim)),
    saveCheckpoint: (claim, checkpoint) =>
      alive(() => world.store.saveCheckpoint(claim, checkpoint)),
    loadCheckpoint: (run) => alive(() => world.store.loadCheckpoint(run)),
    dropCheckpoints: (run) => alive(() => world.store.dropCheckpoints(run)),
    remove: (request) =>
      alive(() => world.store.remove({ ...request, isAlive: ({ id }) => world.isOwnerAlive(id) })),
    tombstone: (run) => alive(() => world.store.tombstone(run)),
    compact: () => alive(() => world.store.compact()),
    send: (run, signal) => alive(() => world.store.send(run, signal)),
    signals: (run) => alive(() => world.store.signals(run)),
    runsWithSignals: () => alive(() => world.store.runsWithSignals()),
    breakers: () => alive(() => world.store.breakers()),
    setBreaker: (key, state) => alive(() => world.store.setBreaker(key, state)),
    // the store outlives its processes
    close: () => Promise.resolve(),
  };
}

async function commitWithFaults<T>(
  world: StoreWorld,
  { run, events }: { readonly run: string; readonly events: readonly object[] },
  write: () => Promise<T>,
): Promise<T> {
  const fault = world.drawFault(run);
  if (fault === 'dies before') {
    world.die();
    return never();
  }
  if (fault === 'refused') throw unavailable('busy');
  if (fault === 'claim lost') await world.stealClaim(run);
  if (fault === 'slow') await world.slowly();
  // it may have died while it waited
  if (!world.isAlive()) return never();
  const answer = await write();
  world.stored(run, events);
  if (fault === 'forgotten') throw unavailable('io');
  if (fault === 'dies after') {
    world.die();
    return never();
  }
  return answer;
}

async function* readLog(
  world: StoreWorld,
  run: string,
  fromSeq?: number,
): AsyncGenerator<StoredCommit> {
  const commits: StoredCommit[] = [];
  for await (const commit of world.store.read(run, fromSeq)) commits.push(commit);
  const missing = world.drawDamage(commits.length);
  for (const [index, commit] of commits.entries()) {
    if (!world.isAlive()) await never();
    // a reader that stops before it has met no damage
    if (index !== missing || !world.damaged(run)) yield commit;
  }
}

function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}
