/**
 * Loads, checks and proves a file of 5,000 nodes in under 2 s; beside it, the time of YAML alone.
 */
import { parseDocument } from 'yaml';
import type { FilePort } from '../src/workflow/yaml/file-port.ts';
import { validateWorkflow } from '../src/workflow/check/validate-workflow.ts';
import { elapsedMs, median, type Bench, type Measurement } from './measure.ts';

const NODES = 5000;
const LIMIT_MS = 2000;
const TRIES = 3;

export const bench: Bench = {
  name: `validate: a file of ${NODES} nodes`,
  run: () => Object.entries(SHAPES).map(([name, make]) => measure(name, make())),
};

function measure(name: string, text: string): Measurement {
  const files: FilePort = { resolve: (_from, to) => to, read: () => ({ ok: true, text }) };
  const validate = (): unknown => {
    const { isValid, files: found } = validateWorkflow('generated.yaml', files, {});
    // the time only counts if the file is valid
    if (!isValid) throw new Error(JSON.stringify(found[0]?.diagnostics[0]));
    return found;
  };
  const rounds = Array.from({ length: TRIES }, () => ({
    yaml: elapsedMs(() => parseDocument(text, { uniqueKeys: false })),
    ours: elapsedMs(validate),
  }));
  const ms = median(rounds.map(({ ours }) => ours));
  const yamlMs = median(rounds.map(({ yaml }) => yaml));
  return {
    name: `${name}, ${(text.length / 1024 / 1024).toFixed(1)} MB`,
    ms,
    limitMs: LIMIT_MS,
    note: `${(ms / yamlMs).toFixed(1)} times the ${yamlMs.toFixed(0)} ms that \`parseDocument\` takes to read it`,
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
