/**
 * The store as one process of the simulation sees it: commits can be slow, refused, or written
 * without an acknowledgement; the claim can be lost; and the process can die around any commit. Calls
 * of a dead process do nothing and never return.
 */
import type { Checkpoint, Commit, RunStore, StoredCommit } from '../../machine/ports/store-port.ts';
import { corrupt, unavailable } from '../../stores/store-failure.ts';

/** Faults around one commit. */
export type CommitFault =
  | 'slow'
  | 'refused'
  | 'forgotten'
  | 'claim lost'
  | 'dies before'
  | 'dies after';

/** The part of the world that the store of one process needs. */
export interface StoreWorld {
  /** The present store: its log may have lost its end meanwhile. */
  readonly store: RunStore;
  isAlive(): boolean;
  isOwnerAlive(owner: string): boolean;
  /** The fault of a commit that is about to be made, if any. */
  drawFault(run: string, events: readonly object[]): CommitFault | undefined;
  /** How long a slow commit takes. */
  slowly(): Promise<void>;
  die(): void;
  /** Another process claims the run and releases it. */
  stealClaim(run: string): Promise<void>;
  /** Called when the events are stored, whether or not the acknowledgement arrives. */
  stored(run: string, events: readonly object[]): void;
  /** Gives a failure a time and an id of this world, so that the same seed gives the same history. */
  stamp(thrown: unknown): unknown;
  /**
   * Commits that were read before, in order; nobody changes them. Undefined if each reader gets its
   * own.
   */
  readonly known?: StoredCommit[];
  /** The commit that is missing when the log is read now, if any. */
  drawDamage(commits: number): number | undefined;
  /** Records that a reader has reached the missing commit; false where no more faults may happen. */
  damaged(run: string): boolean;
}

export function simulatedStore(world: StoreWorld): RunStore {
  /** A dead process gets no replies, and its calls do nothing. */
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
    loadCheckpoint: (run) => alive(() => checkedCheckpoint(world, run)),
    dropCheckpoints: (run) => alive(() => world.store.dropCheckpoints(run)),
    remove: (request) =>
      alive(() => world.store.remove({ ...request, isAlive: ({ id }) => world.isOwnerAlive(id) })),
    tombstone: (run) => alive(() => world.store.tombstone(run)),
    compact: () => alive(() => world.store.compact()),
    send: (run, signal) => alive(() => world.store.send(run, signal)),
    messages: (run) => alive(() => world.store.messages(run)),
    runsWithMessages: () => alive(() => world.store.runsWithMessages()),
    breakers: () => alive(() => world.store.breakers()),
    changeBreaker: (key, change) => alive(() => world.store.changeBreaker(key, change)),
    due: (query) =>
      alive(() => world.store.due({ ...query, isAlive: ({ id }) => world.isOwnerAlive(id) })),
    noteStop: (claim) => alive(() => world.store.noteStop(claim)),
    addEndpoint: (endpoint) => alive(() => world.store.addEndpoint(endpoint)),
    endpoints: () => alive(() => world.store.endpoints()),
    takeDeliveries: (request) => alive(() => world.store.takeDeliveries(request)),
    settleDelivery: (delivery, result) => alive(() => world.store.settleDelivery(delivery, result)),
    notes: (topic) => alive(() => world.store.notes(topic)),
    setNote: (topic, key, change) => alive(() => world.store.setNote(topic, key, change)),
    // the store outlives its processes
    close: () => Promise.resolve(),
  };
}

async function commitWithFaults<T>(
  world: StoreWorld,
  { run, events }: { readonly run: string; readonly events: readonly object[] },
  write: () => Promise<T>,
): Promise<T> {
  const fault = world.drawFault(run, events);
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

/** Checks as real stores do, which read every event that the checkpoint covers. */
async function checkedCheckpoint(world: StoreWorld, run: string): Promise<Checkpoint | null> {
  const found = await world.store.loadCheckpoint(run);
  if (found === null) return null;
  const seq = 1 + (world.drawDamage(found.head.nextSeq) ?? -1);
  if (seq === 0 || !world.damaged(run)) return found;
  throw corrupt(`Event ${seq} of run ${run} is missing or altered`, { run, seq });
}

async function* readLog(world: StoreWorld, run: string, fromSeq = 1): AsyncGenerator<StoredCommit> {
  const known = fromSeq === 1 ? (world.known ?? []) : [];
  const commits = await readOn(world.store, run, known, fromSeq);
  const missing = world.drawDamage(commits.length);
  for (const [index, commit] of commits.entries()) {
    if (!world.isAlive()) await never();
    // a reader that stops before it has met no damage
    if (index !== missing || !world.damaged(run)) yield commit;
  }
}

/** Reads the new commits, and keeps them: a resume reads the whole log again. */
async function readOn(
  store: RunStore,
  run: string,
  known: StoredCommit[],
  fromSeq: number,
): Promise<readonly StoredCommit[]> {
  const nextSeq = known.at(-1)?.head.nextSeq ?? fromSeq;
  for await (const commit of store.read(run, nextSeq)) known.push(commit);
  return known;
}

function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}
