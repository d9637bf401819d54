/** Makes each instrument with the host's meter, at its first use. */
import {
  DURATION_BUCKETS,
  INSTRUMENTS,
  type InstrumentName,
  type RecordMetric,
} from '../metrics/instruments.ts';
import type { Attributes } from '../spans/span-sink.ts';
import type { Meter } from './otel-api.ts';

type Instrument = (value: number, attributes: Attributes) => void;

export function recordWith(meter: Meter): RecordMetric {
  const made = new Map<InstrumentName, Instrument>();
  return (name, value, attributes) => {
    let instrument = made.get(name);
    if (instrument === undefined) {
      instrument = makeInstrument(meter, name);
      made.set(name, instrument);
    }
    instrument(value, attributes);
  };
}

function makeInstrument(meter: Meter, name: InstrumentName): Instrument {
  const row = INSTRUMENTS[name];
  const { unit, description } = row;
  switch (row.kind) {
    case 'histogram': {
      const buckets = 'buckets' in row ? row.buckets : DURATION_BUCKETS;
      const advice = { explicitBucketBoundaries: [...buckets] };
      const histogram = meter.createHistogram(row.name, { unit, description, advice });
      return (value, attributes) => histogram.record(value, writable(attributes));
    }
    case 'counter': {
      const counter = meter.createCounter(row.name, { unit, description });
      return (value, attributes) => counter.add(value, writable(attributes));
    }
    case 'upDownCounter': {
      const counter = meter.createUpDownCounter(row.name, { unit, description });
      return (value, attributes) => counter.add(value, writable(attributes));
    }
    case 'gauge': {
      const gauge = meter.createGauge(row.name, { unit, description });
      return (value, attributes) => gauge.record(value, writable(attributes));
    }
  }
}

type WritableAttributes = Record<string, string | number | boolean>;

/** Attributes of metrics may not hold lists. */
function writable(attributes: Attributes): WritableAttributes {
  return attributes as WritableAttributes;
}
