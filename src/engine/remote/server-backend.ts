/**
 * The runs of an Errand server: started, resumed, answered, cancelled and read over HTTP. The server
 * executes them; nothing of a run happens here.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import { ErrandError, isKind } from '../../errors/thrown/errand-error.ts';
import type { Answer } from '../../machine/gates/gate-answer.ts';
import type { ListQuery, RunStatusName, RunSummary } from '../../machine/ports/store-port.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import {
  isRest,
  latestLeg,
  type Backend,
  type BackendResumeOptions,
  type BackendStartOptions,
  type CancelOptions,
  type FollowRequest,
  type LegOrigin,
  type RunHandle,
  type RunOptions,
  type ServedPlan,
} from '../backend.ts';
import { planFrom } from '../run/plan-text.ts';
import { refuseEnded } from '../run/resume.ts';
import { asEvent } from '../run/subscription.ts';
import { objectOf, planTextOf, textOf } from './sent-shapes.ts';
import { ServerClient, type ServerPlace } from './server-client.ts';
import { serverEvents } from './server-events.ts';
import { ServerLeg } from './server-leg.ts';
import { ServerStore } from './server-store.ts';

export class ServerBackend implements Backend {
  readonly store: ServerStore;
  readonly #client: ServerClient;
  readonly #onAway: ((error: ErrorReport) => void) | undefined;
  readonly #legs = new Map<string, ServerLeg>();

  /** `onAway`: called when the server stops answering while a run is started or followed. */
  constructor(place: ServerPlace, onAway?: (error: ErrorReport) => void) {
    this.#client = new ServerClient(place);
    this.#onAway = onAway;
    this.store = new ServerStore(this.#client);
  }

  async start(
    plan: WorkflowPlan,
    input: JsonObject,
    options: BackendStartOptions = {},
  ): Promise<RunHandle> {
    const { answers = [], gates } = options;
    const request = {
      workflow: plan.name,
      input,
      ...(answers.length === 0 ? {} : { answers: answersByGate(answers) }),
      ...(gates === false ? { gates } : {}),
    };
    const body = await this.#startOnce(request, options);
    const run = textOf(objectOf(body)['run'], 'run');
    options.onCreated?.(run);
    return this.#leg(run, 1, options);
  }

  /**
   * Repeats the request under the same key when the connection breaks in the middle: the server may
   * have taken it.
   */
  async #startOnce(request: JsonObject, origin: LegOrigin): Promise<JsonValue> {
    const key = { 'idempotency-key': randomUUID(), ...headersOf(origin) };
    const endMs = performance.now() + PATIENCE_MS;
    for (let tries = 0; ; tries++)
      try {
        return (await this.#client.post('/v1/runs', request, key)).body;
      } catch (thrown) {
        const isAway = thrown instanceof ErrandError && isKind(thrown, 'store.unavailable');
        const isUnsent = isAway && tries === 0 && thrown.report.outcome === 'not_started';
        if (!isAway || isUnsent || performance.now() > endMs) throw thrown;
        if (tries === 0) this.#onAway?.(this.#client.awayForNow(thrown));
        await after(AGAIN_MS);
      }
  }

  async resume(run: string, options: BackendResumeOptions = {}): Promise<RunHandle> {
    const { status, head } = await this.store.get(run);
    refuseEnded({ run, status }, options);
    const { from, input, now, acceptDrift, gates } = options;
    await this.#client.post(
      `${pathOf(run)}/resume`,
      {
        ...(from === undefined ? {} : { from }),
        ...(input === undefined ? {} : { input }),
        ...(now === true ? { now } : {}),
        ...(acceptDrift === true ? { acceptDrift } : {}),
        ...(gates === false ? { gates } : {}),
      },
      headersOf(options),
    );
    return this.#leg(run, head.nextSeq, options);
  }

  async answer(
    run: string,
    { gate, value, opening }: Answer,
    options: BackendResumeOptions = {},
  ): Promise<RunHandle | undefined> {
    const { status, head } = await this.store.get(run);
    const answered = await this.#client.post(
      `${pathOf(run)}/answers`,
      {
        ...(gate === undefined ? {} : { gate }),
        value,
        ...(opening === undefined ? {} : { opening }),
      },
      headersOf(options),
    );
    if (status === 'running') return this.#legs.get(run);
    // left in the store, for whichever process takes the run
    return answered.status === ACCEPTED ? undefined : this.#leg(run, head.nextSeq, options);
  }

  async cancel(
    run: string,
    _by: string,
    { reason, ...options }: CancelOptions = {},
  ): Promise<RunHandle | undefined> {
    const { status, head } = await this.store.get(run);
    refuseEnded({ run, status });
    const cancelled = await this.#client.post(
      `${pathOf(run)}/cancel`,
      reason === undefined ? {} : { reason },
    );
    const isOver = cancelled.status !== ACCEPTED && status !== 'running';
    return isOver ? this.#leg(run, head.nextSeq, options) : undefined;
  }

  async attach(run: string): Promise<RunHandle> {
    const here = this.#legs.get(run);
    if (here !== undefined) return here;
    const events = await this.#eventsFrom(run, 1);
    return this.#leg(run, latestLeg(events)[0]?.seq ?? 1, {});
  }

  /** The first batch is everything that is stored now. */
  async *followed(
    run: string,
    { fromSeq = 1, throughPauses = false }: FollowRequest = {},
  ): AsyncGenerator<readonly RunEvent[], void, undefined> {
    const isOver = (event: RunEvent | undefined): boolean =>
      isRest(event) && !(throughPauses && event?.type === 'run:paused');
    // asked before reading, so that the last events of a dying process are not missed
    const { status } = await this.store.get(run);
    const stored = await this.#eventsFrom(run, fromSeq);
    if (stored.length > 0) yield stored;
    if (isOver(stored.at(-1)) || status === 'interrupted') return;
    const { signal } = new AbortController();
    const last = stored.at(-1)?.seq ?? fromSeq - 1;
    const onAway = this.#onAway;
    for await (const event of serverEvents(this.#client, { run, after: last, signal, onAway })) {
      yield [event];
      if (isOver(event)) return;
    }
  }

  async workflow(name: string): Promise<ServedPlan> {
    const path = `/v1/workflows/${encodeURIComponent(name)}/plan`;
    const { plan, etag } = objectOf(await this.#client.get(path));
    return { plan: planFrom(planTextOf(plan)), etag: textOf(etag, 'etag') };
  }

  list(query?: ListQuery): Promise<readonly RunSummary[]> {
    return this.store.list(query);
  }

  statusOf({ status }: RunSummary): RunStatusName {
    return status;
  }

  learn(): void {
    // the server knows the secrets of its workflows
  }

  async close(): Promise<void> {
    for (const leg of this.#legs.values()) leg.stop();
  }

  async #eventsFrom(run: string, fromSeq: number): Promise<readonly RunEvent[]> {
    const events: RunEvent[] = [];
    for await (const commit of this.store.read(run, fromSeq))
      for (const event of commit.events) events.push(asEvent(event));
    return events;
  }

  #leg(
    run: string,
    firstSeq: number,
    { onEvent, wait }: Pick<RunOptions, 'onEvent' | 'wait'>,
  ): Promise<ServerLeg> {
    const leg = new ServerLeg(this.#client, {
      run,
      firstSeq,
      onAway: this.#onAway,
      ...(onEvent === undefined ? {} : { onEvent }),
      ...(wait === undefined ? {} : { wait }),
    });
    this.#legs.set(run, leg);
    const forget = (): void => {
      if (this.#legs.get(run) === leg) this.#legs.delete(run);
    };
    leg.result().then(forget, forget);
    return leg.begun();
  }
}

/** The trace of the caller; the server begins the leg, and has the span. */
function headersOf({ trace }: LegOrigin): Readonly<Record<string, string>> {
  return { ...trace };
}

const ACCEPTED = 202;
const AGAIN_MS = 500;
/** How long a server may take to be back while a run is started. */
const PATIENCE_MS = 60_000;

function pathOf(run: string): string {
  return `/v1/runs/${encodeURIComponent(run)}`;
}

function answersByGate(answers: NonNullable<RunOptions['answers']>): JsonObject {
  const gates = answers.map(({ gate }) => gate);
  const twice = gates.find((gate, at) => gates.indexOf(gate) !== at);
  if (twice === undefined)
    return Object.fromEntries(answers.map(({ gate, value }) => [gate, value]));
  throw new ErrandError({
    kind: 'validation.input',
    message: `A server takes one answer for each gate, and ${twice} has several`,
    action: {
      kind: 'change_input',
      detail: 'Give the first answer now, and the others with: errand answer',
    },
  });
}
