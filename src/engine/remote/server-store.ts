/** Reads the runs of a server for the commands that show runs. Read-only. */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type {
  ListQuery,
  ReadableStore,
  RunRecord,
  RunStatusName,
  RunSummary,
  StoredCommit,
} from '../../machine/ports/store-port.ts';
import type { Waiting } from '../../machine/state/events.ts';
import { objectOf, textOf, type ServerClient } from './server-client.ts';
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
      plan: JSON.stringify(plan),
      input,
      // the digest is the server's own affair
      head: { nextSeq: Number(seq) + 1, digest: '' },
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
      found.push(...listIn(page['runs']).map((row) => summaryOf(objectOf(row))));
      cursor = typeof page['next'] === 'string' ? page['next'] : undefined;
    } while (cursor !== undefined && found.length < limit);
    return found;
  }

  async *read(run: string, fromSeq = 1): AsyncGenerator<StoredCommit, void, undefined> {
    let after: JsonValue | undefined = fromSeq - 1;
    while (after !== undefined) {
      const path = `/v1/runs/${encodeURIComponent(run)}/events?limit=${PAGE_EVENTS}&after=${Number(after)}`;
      const page = objectOf(await this.#client.get(path));
      const events: JsonObject[] = [];
      for (const sent of listIn(page['events'])) events.push(await wholeValues(this.#client, sent));
      const seq = Number(events[0]?.['seq'] ?? 0);
      if (events.length > 0)
        yield { seq, events, head: { nextSeq: seq + events.length, digest: '' } };
      after = page['next'];
    }
  }

  async close(): Promise<void> {
    // each request is a connection of its own
  }
}

function listIn(value: JsonValue | undefined): readonly JsonValue[] {
  const list: readonly JsonValue[] = Array.isArray(value) ? value : [];
  return list;
}

function errorIn({ kind, message }: JsonObject): NonNullable<RunSummary['error']> {
  return { kind: textOf(kind), message: textOf(message) };
}

/** An Errand wrote the row: the fields that are there have the types of ours. */
function summaryOf(row: JsonObject): RunSummary {
  const { run, workflow, status, startedAt, endedAt, error, waiting, costUsdMicros, file } = row;
  return {
    run: textOf(run),
    workflow: textOf(workflow),
    status: status as RunStatusName,
    startedAt: textOf(startedAt),
    costUsdMicros: Number(costUsdMicros),
    file: typeof file === 'string' ? file : null,
    ...(endedAt === undefined ? {} : { endedAt: textOf(endedAt) }),
    ...(error === undefined ? {} : { error: errorIn(objectOf(error)) }),
    ...(waiting === undefined ? {} : { waiting: JSON.parse(JSON.stringify(waiting)) as Waiting }),
    claim: null,
  };
}
