/** Names of metrics in Prometheus, and the queries of the guide's dashboard and alert rules. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const GUIDE = join(import.meta.dirname, '../../docs/guide');
export const read = (name: string): string => readFileSync(join(GUIDE, name), 'utf8');

interface DataPoints {
  readonly dataPoints: readonly {
    readonly attributes: readonly { readonly key: string }[];
  }[];
}

/** A metric in OTLP's JSON form. */
export interface OtlpMetric {
  readonly name: string;
  readonly unit: string;
  readonly gauge?: DataPoints;
  readonly histogram?: DataPoints;
  readonly sum?: DataPoints & { readonly isMonotonic: boolean };
}

/**
 * The series and their labels, as a Collector and Prometheus itself name them: dots become
 * underscores, seconds and counters get a suffix, units in braces get none.
 */
export function seriesOf(metrics: readonly OtlpMetric[]): ReadonlyMap<string, ReadonlySet<string>> {
  const series = new Map<string, Set<string>>();
  for (const { name, unit, gauge, histogram, sum } of metrics) {
    const base = underscored(name) + (unit === 's' ? '_seconds' : '');
    const points = (gauge ?? histogram ?? sum)?.dataPoints ?? [];
    const labels = points.flatMap(({ attributes }) =>
      attributes.map(({ key }) => underscored(key)),
    );
    for (const end of endings(histogram !== undefined, sum?.isMonotonic === true)) {
      const known = series.get(base + end) ?? new Set(end === '_bucket' ? ['le'] : []);
      series.set(base + end, known);
      for (const label of labels) known.add(label);
    }
  }
  return series;
}

function endings(isHistogram: boolean, isCounter: boolean): readonly string[] {
  if (isHistogram) return ['_bucket', '_sum', '_count'];
  return [isCounter ? '_total' : ''];
}

function underscored(name: string): string {
  return name.replaceAll('.', '_');
}

export interface Question {
  readonly expr: string;
  /** The text beside the number: a legend, or annotations. */
  readonly shown: string;
}

interface Dashboard {
  readonly templating: {
    readonly list: readonly { readonly query?: string | { query: string } }[];
  };
  readonly panels: readonly {
    readonly id: number;
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

export function dashboard(): Dashboard {
  return JSON.parse(read('telemetry-dashboard.json')) as Dashboard;
}

export function questions(): readonly Question[] {
  const { groups } = parse(read('telemetry-alerts.yaml')) as {
    groups: { rules: { expr: string; annotations: Record<string, string> }[] }[];
  };
  return [
    ...dashboard().panels.flatMap(({ targets }) =>
      targets.map(({ expr, legendFormat }) => ({ expr, shown: legendFormat })),
    ),
    ...groups.flatMap(({ rules }) =>
      rules.map(({ expr, annotations }) => ({ expr, shown: Object.values(annotations).join(' ') })),
    ),
  ];
}

/**
 * The faults of a query: a series or a label that nobody writes, a legend without its label, an
 * open bracket.
 */
export function wrongIn(
  { expr, shown }: Question,
  series: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => list(names));
  const asked = [...expr.matchAll(/\b((?:errand|gen_ai)_\w+)(?:\{([^}]*)\})?/g)]
    .map(([, name = '', matchers = '']) => ({
      name,
      labels: list(matchers).map((matcher) => /^\w+/.exec(matcher)?.[0] ?? matcher),
    }))
    .filter(({ name }) => !grouped.includes(name));
  const inLegend = [...shown.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(
    ([, label = '']) => label,
  );
  return [
    ...(asked.length === 0 ? ['no series'] : []),
    ...asked.flatMap(({ name, labels }) => {
      const known = series.get(name);
      if (known === undefined) return [`no series ${name}`];
      return [...labels, ...grouped]
        .filter((label) => !known.has(label))
        .map((label) => `${name} has no ${label}`);
    }),
    ...inLegend.filter((label) => !grouped.includes(label)).map((label) => `not by ${label}`),
    ...(isBalanced(expr) ? [] : ['brackets']),
  ];
}

function list(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function isBalanced(expr: string): boolean {
  const open: string[] = [];
  for (const sign of expr.replaceAll(/"[^"]*"/g, '')) {
    if ('([{'.includes(sign)) open.push(sign);
    const at = ')]}'.indexOf(sign);
    if (at >= 0 && open.pop() !== '([{'[at]) return false;
  }
  return open.length === 0;
}
