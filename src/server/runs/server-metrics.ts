/** Figures of a server in the text form of Prometheus: of the store, and of this process. */
import type { RunSummary } from '../../machine/ports/store-port.ts';
import type { RunEvent } from '../../machine/state/events.ts';

type Labels = Readonly<Record<string, string>>;

/** Seconds; the usual bounds for a database. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Series of one figure; more are counted under `other`, so that no input fills the memory. */
const MAX_SERIES = 2000;

class Counter {
  readonly #series = new Map<string, { readonly labels: Labels; value: number }>();

  add(labels: Labels, value = 1): void {
    const key = JSON.stringify(labels);
    const known = this.#series.get(key);
    if (known !== undefined) known.value += value;
    else if (this.#series.size < MAX_SERIES) this.#series.set(key, { labels, value });
  }

  lines(name: string): readonly string[] {
    return Array.from(this.#series.values(), ({ labels, value }) => line(name, labels, value));
  }
}

export class Metrics {
  readonly #failures = new Counter();
  readonly #attempts = new Counter();
  readonly #costs = new Counter();
  readonly #workflows = new Map<string, string>();
  readonly #buckets = BOUNDS.map(() => 0);
  #storeCount = 0;
  #storeSeconds = 0;

  /** Called with every event of this process. */
  note(event: RunEvent): void {
    if (event.type === 'run:started') this.#workflows.set(event.run, event.workflow);
    if (event.type === 'run:failed') {
      const workflow = event.error.location?.workflow ?? this.#workflows.get(event.run) ?? '';
      this.#failures.add({ workflow, kind: event.error.kind });
    }
    if (
      event.type === 'run:completed' ||
      event.type === 'run:cancelled' ||
      event.type === 'run:failed'
    )
      this.#workflows.delete(event.run);
    if (event.type !== 'effect:succeeded' && event.type !== 'effect:failed') return;
    if (event.effect.type !== 'model') return;
    const model = event.effect.target;
    const outcome = event.type === 'effect:succeeded' ? 'succeeded' : event.error.outcome;
    this.#attempts.add({ model, outcome });
    if (event.costUsdMicros !== undefined) this.#costs.add({ model }, event.costUsdMicros);
  }

  /** Called with how long a call of the store took. */
  noteStore(seconds: number): void {
    this.#storeCount++;
    this.#storeSeconds += seconds;
    for (const [at, bound] of BOUNDS.entries())
      if (seconds <= bound) this.#buckets[at] = (this.#buckets[at] ?? 0) + 1;
  }

  text(runs: readonly RunSummary[]): string {
    const byStatus = new Counter();
    const waiting = new Counter();
    for (const { workflow, status, waiting: wait } of runs) {
      byStatus.add({ workflow, status });
      for (const { reason } of status === 'paused' ? (wait?.all ?? []) : [])
        waiting.add({ reason });
    }
    return [
      ...figure('errand_runs', 'gauge', 'Runs of the store.', byStatus),
      ...figure('errand_waiting', 'gauge', 'Waits of paused runs of the store.', waiting),
      ...figure('errand_failures_total', 'counter', 'Runs that failed here.', this.#failures),
      ...figure('errand_attempts_total', 'counter', 'Calls of models from here.', this.#attempts),
      ...figure(
        'errand_cost_usd_micros_total',
        'counter',
        'Cost of model calls from here.',
        this.#costs,
      ),
      '# HELP errand_store_seconds Time that calls of the store took.',
      '# TYPE errand_store_seconds histogram',
      ...BOUNDS.map((bound, at) =>
        line('errand_store_seconds_bucket', { le: String(bound) }, this.#buckets[at] ?? 0),
      ),
      line('errand_store_seconds_bucket', { le: '+Inf' }, this.#storeCount),
      line('errand_store_seconds_sum', {}, this.#storeSeconds),
      line('errand_store_seconds_count', {}, this.#storeCount),
      '',
    ].join('\n');
  }
}

function figure(name: string, type: string, help: string, counter: Counter): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...counter.lines(name)];
}

function line(name: string, labels: Labels, value: number): string {
  const written = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${written.length === 0 ? '' : `{${written.join(',')}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
