/** Reads the runs of a server for the commands that show runs. Read-only. */
import type { JsonObject } from '../../errors/support/safe-json.ts';
import type {
  ListQuery,
  ReadableStore,
  RunRecord,
  RunSummary,
  StoredCommit,
} from '../../machine/ports/store-port.ts';
import type { ServerClient } from './server-client.ts';
import {
  checkEvent,
  listOf,
  nextOf,
  numberOf,
  objectOf,
  planTextOf,
  summaryOf,
} from './sent-shapes.ts';
import { wholeValues } from './whole-values.ts';

/** The most that the server lists at once. */
const PAGE_RUNS = 200;
const PAGE_EVENTS = 1000;

export class ServerStore implements ReadableStore {
  readonly #client: ServerClient;

  constructor(client: ServerClient) {
    this.#client = client;
  }

  async get(run: string): Promise<RunRecord> {
    const path = `/v1/runs/${encodeURIComponent(run)}/record`;
    const sent = await wholeValues(this.#client, await this.#client.get(path));
    const { plan, seq, input = null } = sent;
    return {
      ...summaryOf(sent),
      plan: planTextOf(plan),
      input,
      // the digest is the server's own affair
      head: { nextSeq: numberOf(seq, 'seq') + 1, digest: '' },
    };
  }

  summary(run: string): Promise<RunSummary> {
    return this.get(run);
  }

  async list({ statuses, limit = Infinity }: ListQuery = {}): Promise<readonly RunSummary[]> {
    const found: RunSummary[] = [];
    let cursor: string | undefined;
    do {
      const query = new URLSearchParams({
        limit: String(Math.min(PAGE_RUNS, limit - found.length)),
        ...(statuses === undefined ? {} : { status: statuses.join(',') }),
        ...(cursor === undefined ? {} : { cursor }),
      });
      const page = objectOf(await this.#client.get(`/v1/runs?${query.toString()}`));
      found.push(...listOf(page['runs'], 'runs').map((row) => summaryOf(objectOf(row))));
      cursor = typeof page['next'] === 'string' ? page['next'] : undefined;
    } while (cursor !== undefined && found.length < limit);
    return found;
  }

  async *read(run: string, fromSeq = 1): AsyncGenerator<StoredCommit, void, undefined> {
    let after: number | undefined = fromSeq - 1;
    while (after !== undefined) {
      const path = `/v1/runs/${encodeURIComponent(run)}/events?limit=${PAGE_EVENTS}&after=${after}`;
      const page = objectOf(await this.#client.get(path));
      const seq = after + 1;
      const events: JsonObject[] = [];
      for (const sent of listOf(page['events'], 'events')) {
        const event = await wholeValues(this.#client, sent);
        checkEvent(event, seq + events.length);
        events.push(event);
      }
      if (events.length > 0)
        yield { seq, events, head: { nextSeq: seq + events.length, digest: '' } };
      after = nextOf(page['next'], after);
    }
  }

  async close(): Promise<void> {
    // each request is a connection of its own
  }
}
