/**
 * Reads runs at a Temporal server. The events of a run are in its executions, one after the other;
 * each is read by a query, which needs a worker. The status is in Temporal's own record, which needs
 * none.
 */
import { setTimeout as after } from 'node:timers/promises';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { isPlainObject, readProperty } from '../../errors/support/safe-json.ts';
import type { Snapshot } from '../../machine/state/snapshot.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { isAway, isEarly, isUnanswered, unreachable, type TemporalConnection } from './connect.ts';
import {
  MEMO,
  QUERIES,
  type EventsPage,
  type RunFacts,
  type RunMemo,
  type StateTask,
  type TextPart,
} from './messages.ts';
import type { TemporalConfig } from './config.ts';
import type { WorkflowDescription, WorkflowHandle } from './temporal-sdk.ts';
import { readParts } from './sizes/text-parts.ts';

const QUERY_MS = 10_000;
/** Waits for an execution that has just begun, short at first. */
const EARLY_MS = { first: 50, most: 500 };
/** A number that no event has. */
const NO_EVENTS = Number.MAX_SAFE_INTEGER;

export class RunQueries {
  readonly config: TemporalConfig;
  readonly #temporal: TemporalConnection;
  readonly #queryMs: number;

  constructor(config: TemporalConfig, temporal: TemporalConnection, queryMs = QUERY_MS) {
    this.config = config;
    this.#temporal = temporal;
    this.#queryMs = queryMs;
  }

  handle(run: string, execution?: string): WorkflowHandle {
    return this.#temporal.workflows.getHandle(run, execution);
  }

  facts(run: string): Promise<RunFacts> {
    return this.#query(run, QUERIES.record);
  }

  /** For a run that is over; names the latest execution, because a newer one could answer. */
  async state(run: string, execution: string): Promise<Snapshot> {
    const text = await readParts((part, seq) => this.statePart({ run, execution, part, seq }));
    // written by `StateParts`
    return JSON.parse(text) as Snapshot;
  }

  statePart({ run, execution, part, seq }: StateTask): Promise<TextPart> {
    return this.#queryIn(run, execution, QUERIES.state, part, seq);
  }

  /** The status of the latest execution, without its events. */
  statusPage(run: string): Promise<EventsPage> {
    return this.#query(run, QUERIES.events, NO_EVENTS);
  }

  /** The latest event of the run; undefined when there is none. */
  async last(run: string): Promise<RunEvent | undefined> {
    const { lastSeq } = await this.statusPage(run);
    let last: RunEvent | undefined;
    for await (const { events } of this.all(run, lastSeq)) last = events.at(-1) ?? last;
    return last;
  }

  /** The events as of now, from that number on, page by page. */
  async *all(run: string, fromSeq = 1): AsyncGenerator<EventsPage, void, undefined> {
    const latest = await this.#page(run, undefined, fromSeq);
    const earlier = latest.firstSeq > fromSeq ? await this.#earlier(run, latest, fromSeq) : [];
    let next = fromSeq;
    for (const execution of earlier) {
      for (let isMore = true; isMore;) {
        const page = await this.#page(run, execution, next);
        yield page;
        next += page.events.length;
        isMore = page.events.length > 0 && next <= page.lastSeq;
      }
    }
    yield latest;
    next += latest.events.length;
    while (latest.events.length > 0 && next <= latest.lastSeq) {
      const page = await this.#page(run, undefined, next);
      if (page.events.length === 0) return;
      // continued in a new execution meanwhile
      if (page.firstSeq > next) return yield* this.all(run, next);
      yield page;
      next += page.events.length;
    }
  }

  /** With the first event whole, however large it is. */
  async #page(run: string, execution: string | undefined, from: number): Promise<EventsPage> {
    const ask = (part: number): Promise<EventsPage> =>
      this.#queryIn(run, execution, QUERIES.events, from, part);
    const { piece, ...page } = await ask(0);
    if (piece === undefined) return page;
    const texts = [piece.text];
    for (let part = 1; part < piece.parts; part++) {
      const { piece: next, firstSeq } = await ask(part);
      // by now it is in the previous execution
      if (next === undefined || firstSeq !== page.firstSeq) return this.#page(run, execution, from);
      texts.push(next.text);
    }
    // written by `WorkflowLog`
    return { ...page, events: [JSON.parse(texts.join('')) as RunEvent] };
  }

  /** Temporal's own record; throws `run.not_found`. */
  async describe(run: string): Promise<WorkflowDescription> {
    return this.guarded(run, () => this.handle(run).describe());
  }

  list(query: string): AsyncIterable<WorkflowDescription> {
    return this.#temporal.workflows.list({ query });
  }

  /** Turns errors of Temporal's client into ours. */
  async guarded<T>(run: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      if (readProperty(thrown, 'name') === 'WorkflowNotFoundError') throw noRun(run, thrown);
      if (isAway(thrown)) throw unreachable(this.config, thrown);
      throw thrown;
    }
  }

  /** The executions before the latest that have events from that number on, the oldest first. */
  async #earlier(run: string, latest: EventsPage, fromSeq: number): Promise<readonly string[]> {
    const found: string[] = [];
    let { before, firstSeq } = latest;
    while (before !== undefined && firstSeq > fromSeq) {
      found.unshift(before);
      const page = await this.#queryIn<EventsPage>(run, before, QUERIES.events, NO_EVENTS);
      ({ before, firstSeq } = page);
    }
    return found;
  }

  #query<T>(run: string, name: string, ...args: unknown[]): Promise<T> {
    return this.#queryIn(run, undefined, name, ...args);
  }

  async #queryIn<T>(
    run: string,
    execution: string | undefined,
    name: string,
    ...args: unknown[]
  ): Promise<T> {
    const endMs = Date.now() + this.#queryMs;
    for (let waitMs = EARLY_MS.first; ; waitMs = Math.min(EARLY_MS.most, waitMs * 2)) {
      try {
        return await this.#temporal.connection.withDeadline(endMs, () =>
          this.handle(run, execution).query<T>(name, ...args),
        );
      } catch (thrown) {
        if (readProperty(thrown, 'name') === 'WorkflowNotFoundError') throw noRun(run, thrown);
        if (!isEarly(thrown) || Date.now() + waitMs >= endMs)
          throw await this.#unanswered(run, thrown);
      }
      await after(waitMs);
    }
  }

  async #unanswered(run: string, thrown: unknown): Promise<unknown> {
    if (isUnanswered(thrown)) return this.#silent(run, thrown);
    return isAway(thrown) ? unreachable(this.config, thrown) : thrown;
  }

  /** Finds out whether the server is away, or only its workers. */
  async #silent(run: string, thrown: unknown): Promise<ErrandError> {
    await this.describe(run);
    const { taskQueue, address } = this.config;
    return new ErrandError(
      {
        kind: 'store.unavailable',
        message: `No worker on the task queue ${taskQueue} has responded in time, and only a worker can read the events of run ${run}`,
        details: { taskQueue, address },
        action: {
          kind: 'fix_setup',
          detail: `If no worker is running, start one in the folder of the workflow: errand worker --task-queue ${taskQueue}. A busy one needs longer. Then follow the run: errand watch ${run}`,
        },
      },
      { cause: thrown },
    );
  }
}

export function memoOf(
  run: string,
  { memo }: { readonly memo: WorkflowDescription['memo'] | undefined },
): RunMemo {
  const ours = memo?.[MEMO];
  // written by our own client and workflow
  if (isPlainObject(ours)) return ours as unknown as RunMemo;
  throw noRun(run);
}

function noRun(run: string, thrown?: unknown): ErrandError {
  return new ErrandError(
    {
      kind: 'run.not_found',
      message: `There is no run ${run.slice(0, 80)} on that Temporal server`,
      action: {
        kind: 'change_input',
        detail: 'List the runs there with: errand runs --on temporal',
      },
    },
    { cause: thrown },
  );
}
