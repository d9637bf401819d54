/**
 * Loads, checks and proves a file of 5,000 nodes in under 2 s; beside it, the time of YAML alone.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import type { Errand } from '../src/index.ts';
import { builds } from './built-package.ts';
import { elapsedMs, median, type Bench, type Measurement } from './measure.ts';

const NODES = 5000;
const LIMIT_MS = 2000;
const TRIES = 3;

export const bench: Bench = {
  name: `validate: a file of ${NODES} nodes`,
  async run() {
    const [now] = await builds();
    if (now === undefined) return [];
    const folder = mkdtempSync(join(tmpdir(), 'errand-bench-validate-'));
    const errand = await now.openErrand({ store: 'memory' });
    const rows: Measurement[] = [];
    for (const [name, make] of Object.entries(SHAPES)) {
      const file = join(folder, 'generated.yaml');
      const text = make();
      writeFileSync(file, text);
      rows.push(await measure(errand, { name, file, text }));
    }
    await errand.close();
    rmSync(folder, { recursive: true });
    return rows;
  },
};

interface Shape {
  readonly name: string;
  readonly file: string;
  readonly text: string;
}

async function measure(errand: Errand, { name, file, text }: Shape): Promise<Measurement> {
  const yaml: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < TRIES; round++) {
    yaml.push(elapsedMs(() => parseDocument(text, { uniqueKeys: false })));
    const startedAt = performance.now();
    const { isValid, files } = await errand.validate(file);
    ours.push(performance.now() - startedAt);
    // the time only counts if the file is valid
    if (!isValid) throw new Error(JSON.stringify(files[0]?.diagnostics[0]));
  }
  const ms = median(ours);
  return {
    name: `${name}, ${(text.length / 1024 / 1024).toFixed(1)} MB`,
    ms,
    limitMs: LIMIT_MS,
    note: `${(ms / median(yaml)).toFixed(1)} times the ${median(yaml).toFixed(0)} ms that \`parseDocument\` takes to read it`,
  };
}

const SHAPES: Readonly<Record<string, () => string>> = {
  'a chain of all sorts': () =>
    file(
      numbers(NODES - 1).map((index) => {
        const next = index < NODES - 2 ? `n${index + 1}` : '$end';
        return mixedNode(index, next);
      }),
      '  - {name: sorry, type: set, value: "{{ failing.error.message }}"}\n',
    ),
  'one loop through all': () =>
    file(
      numbers(NODES).map((index) =>
        setNode(
          index,
          `{to: $end, when: "{{ output == ${index} }}"}, {to: n${(index + 1) % NODES}}`,
        ),
      ),
      '',
    ),
  'routes from each to many': () =>
    file(
      numbers(NODES).map((index) => {
        const targets = [1, 2, 5, 50, 500].filter((step) => index + step < NODES);
        const routes = targets.map(
          (step) => `{to: n${index + step}, when: "{{ output == ${step} }}"}`,
        );
        return setNode(index, [...routes, '{to: $end}'].join(', '));
      }),
      '',
    ),
};

function file(nodes: readonly string[], more: string): string {
  return `workflow: {name: generated, entry_point: n0, limits: {max_iterations: 100000}}\nnodes:\n${nodes.join('')}${more}`;
}

function setNode(index: number, routes: string): string {
  return `  - {name: n${index}, type: set, value: ${index}, routes: [${routes}]}\n`;
}

function mixedNode(index: number, next: string): string {
  const before = index === 0 ? 'hello' : `{{ n${index - 1}.output | json }}`;
  const routes = `
    routes:
      - {to: ${next}}
      - {on_error: true, to: sorry}
`;
  switch (index % 4) {
    case 0:
      return `  - name: n${index}
    model: sim/clerk
    tools: []
    timeout_seconds: 60
    prompt: "Think about ${before}"
    output: {label: {type: string, enum: [refund, bug, other]}}
    raises: [order.missing]${routes}`;
    case 1:
      return `  - name: n${index}
    type: script
    command: ./step.sh
    args: ["${index}", "${before}"]
    timeout_seconds: 30
    idempotent: true${routes}`;
    case 2:
      return `  - name: n${index}
    type: transform
    code: input.before.length
    arguments: {before: "${before}"}${routes}`;
    default:
      return `  - name: n${index}
    type: set
    values: {before: "${before}", number: ${index}}${routes}`;
  }
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
