/** The instruments of the metrics, as data: the file that knows OpenTelemetry makes them from this table. */
import { METRIC } from '../names.ts';
import type { Attributes } from '../spans/span-sink.ts';

type InstrumentKind = 'histogram' | 'counter' | 'upDownCounter' | 'gauge';

interface InstrumentRow {
  readonly name: string;
  readonly kind: InstrumentKind;
  readonly unit: string;
  readonly description: string;
  /** Upper bounds of a histogram's buckets. Default: the bounds of durations. */
  readonly buckets?: readonly number[];
}

/** In seconds, from a quick tool to a long agent. */
export const DURATION_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600,
];

const TOKEN_BUCKETS = [
  1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304,
];

const WAIT_BUCKETS = [1, 5, 15, 60, 300, 900, 3600, 14_400, 43_200, 86_400, 259_200, 604_800];

const COMMIT_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30];

export const INSTRUMENTS = {
  operationDuration: {
    name: METRIC.operationDuration,
    kind: 'histogram',
    unit: 's',
    description: 'How long a call of a model took.',
  },
  tokenUsage: {
    name: METRIC.tokenUsage,
    kind: 'histogram',
    unit: '{token}',
    description: 'Tokens of a call of a model.',
    buckets: TOKEN_BUCKETS,
  },
  workflowDuration: {
    name: METRIC.workflowDuration,
    kind: 'histogram',
    unit: 's',
    description: 'How long a leg of a run or a sub-workflow took.',
  },
  agentDuration: {
    name: METRIC.agentDuration,
    kind: 'histogram',
    unit: 's',
    description: 'How long an attempt of an agent took.',
  },
  toolDuration: {
    name: METRIC.toolDuration,
    kind: 'histogram',
    unit: 's',
    description: 'How long a call of a tool took.',
  },
  runEnded: {
    name: METRIC.runEnded,
    kind: 'counter',
    unit: '{run}',
    description: 'Runs that completed, failed or were cancelled.',
  },
  runActive: {
    name: METRIC.runActive,
    kind: 'upDownCounter',
    unit: '{run}',
    description: 'Runs that this process executes.',
  },
  runWaiting: {
    name: METRIC.runWaiting,
    kind: 'gauge',
    unit: '{run}',
    description: 'Runs that this process has paused and not resumed.',
  },
  failure: {
    name: METRIC.failure,
    kind: 'counter',
    unit: '{failure}',
    description: 'Failed attempts of nodes and failed calls, also those that a route handled.',
  },
  failureCost: {
    name: METRIC.failureCost,
    kind: 'counter',
    unit: '{usd_micros}',
    description: 'Cost of model calls that failed.',
  },
  retryWait: {
    name: METRIC.retryWait,
    kind: 'histogram',
    unit: 's',
    description: 'How long a run waits before it tries again.',
    buckets: WAIT_BUCKETS,
  },
  gateWait: {
    name: METRIC.gateWait,
    kind: 'histogram',
    unit: 's',
    description: 'How long a question to a person was open.',
    buckets: WAIT_BUCKETS,
  },
  breakerOpen: {
    name: METRIC.breakerOpen,
    kind: 'gauge',
    unit: '{breaker}',
    description: '1 while the circuit breaker of a target is open.',
  },
  commitDuration: {
    name: METRIC.commitDuration,
    kind: 'histogram',
    unit: 's',
    description: 'How long the store took to commit a step.',
    buckets: COMMIT_BUCKETS,
  },
  suppressed: {
    name: METRIC.suppressed,
    kind: 'counter',
    unit: '{failure}',
    description: 'Failures that changed nothing in their run.',
  },
} as const satisfies Readonly<Record<string, InstrumentRow>>;

export type InstrumentName = keyof typeof INSTRUMENTS;

/** Records a value: added to counters, taken unchanged by the others. */
export type RecordMetric = (name: InstrumentName, value: number, attributes: Attributes) => void;
