/** A project with extensions that its files name, and a log of their lives. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadWorkflowFile } from '../../src/engine/loading/load-file.ts';
import type { WorkflowPlan } from '../../src/workflow/plan/plan.ts';
import { ROOT } from './stage.ts';

/** The sources as they are here: under a test runner, modules cannot resolve `errand`. */
const ERRAND = pathToFileURL(join(ROOT, 'src', 'index.ts')).href;

const ACME = `
import { appendFileSync } from 'node:fs';
import { extension, raise, tool } from '${ERRAND}';
const note = (what) => appendFileSync(new URL('diary', import.meta.url), what + '\\n');
const rates = new Map();
export const acme = extension({
  name: 'acme',
  contract: 1,
  start: () => { note('start'); rates.set('EUR', 2); },
  stop: () => note('stop'),
  tools: {
    rate: tool({ description: 'A rate', idempotent: true, run: ({ currency }) => ({ rate: rates.get(currency) ?? null }) }),
  },
  nodes: {
    convert: ({ amount, currency }) => {
      const rate = rates.get(currency);
      if (rate === undefined) throw raise('acme.no_rate', 'There is no rate for ' + currency);
      return { usd: amount * rate };
    },
  },
});
`;

const BROKEN = `
import { extension } from '${ERRAND}';
export const broken = extension({
  name: 'broken',
  contract: 1,
  start: () => { throw new Error('no licence'); },
  nodes: { thing: () => 1 },
});
`;

const FILES: Readonly<Record<string, string>> = {
  'acme.ts': ACME,
  'broken.ts': BROKEN,
  'prices.yaml': `
workflow: {name: prices, entry_point: rate, extensions: [./acme.ts], input: {currency: {type: string}}}
nodes:
  - {name: rate, type: tool, tool: acme.rate, arguments: {currency: EUR}, routes: [{to: convert}]}
  - {name: convert, type: acme.convert, raises: [acme.no_rate], arguments: {amount: 5, currency: "{{ workflow.input.currency }}"}}
`,
  'calling.yaml': `
workflow: {name: calling, entry_point: child}
nodes:
  - {name: child, type: workflow, workflow: ./prices.yaml, input_mapping: {currency: EUR}}
`,
  'broken.yaml': `
workflow: {name: broken, entry_point: a, extensions: [./broken.ts]}
nodes:
  - {name: a, type: broken.thing}
`,
};

export interface ExtendedProject {
  readonly folder: string;
  plan(file: string): Promise<WorkflowPlan>;
  diary(): readonly string[];
  close(): void;
}

export function extendedProject(): ExtendedProject {
  const folder = mkdtempSync(join(tmpdir(), 'errand-extended-'));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  const diary = join(folder, 'diary');
  return {
    folder,
    plan: async (file) => (await loadWorkflowFile(file, { base: folder, env: {} })).plan,
    diary: () => (existsSync(diary) ? readFileSync(diary, 'utf8').trim().split('\n') : []),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
