import { Ajv } from 'ajv';
import { parseDocument, type Document } from 'yaml';
import { describe, expect, it } from 'vitest';
import { checkDocument } from '../schema/check-document.ts';
import { workflowJsonSchema } from '../schema/json-schema.ts';
import { memoryFiles } from './files.cases.ts';
import { mutate, seeded, validFiles } from './mutate.cases.ts';
import { loadWorkflow, type LoadResult } from './workflow.ts';
import { ownMs } from '../../../test/own-time.ts';

const { sources: FILES, all: ALL } = validFiles();
const NAMES = Object.keys(FILES);
const LIMIT_MS = 100;

function spoiled(seed: number): { readonly name: string; readonly text: string } {
  const name = NAMES[seed % NAMES.length] ?? '';
  return { name, text: mutate(FILES[name] ?? '', seeded(seed)) };
}

function load(name: string, text: string): LoadResult {
  return loadWorkflow(name, memoryFiles({ ...ALL, [name]: text }));
}

/** Undefined where an alias has no anchor, which is no matter of a schema. */
function toJs(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    return undefined;
  }
}

/** The quickest of three: what a busy machine adds is not ours. */
function quickest(work: () => unknown, first: number): number {
  let best = first;
  for (let time = 0; time < 3 && best > LIMIT_MS; time++) {
    const start = ownMs();
    work();
    best = Math.min(best, ownMs() - start);
  }
  return best;
}

it.each(NAMES)('%s is valid before it is spoiled', (name) => {
  const result = load(name, FILES[name] ?? '');
  expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
});

describe('ten thousand spoiled workflow files', () => {
  it(
    'each give a plan or diagnostics with places, never a throw, within 100 ms',
    { timeout: 120_000 },
    () => {
      const seenCodes = new Set<string>();
      let accepted = 0;
      for (let seed = 1; seed <= 10_000; seed++) {
        const { name, text } = spoiled(seed);
        const start = ownMs();
        const result = load(name, text);
        const ms = quickest(() => load(name, text), ownMs() - start);
        if (ms >= LIMIT_MS) throw new Error(`seed ${seed} took ${ms} ms`);
        if (!result.ok && result.diagnostics.length === 0)
          throw new Error(`seed ${seed}: not told why`);
        if (result.ok) accepted++;
        for (const each of result.diagnostics) {
          seenCodes.add(each.code);
          const isPlaced =
            each.line >= 1 && each.column >= 1 && each.message !== '' && each.file !== '';
          if (!isPlaced) throw new Error(`seed ${seed}: ${JSON.stringify(each)}`);
        }
      }
      expect(accepted).toBeGreaterThan(500);
      expect(seenCodes.size).toBeGreaterThan(30);
    },
  );

  it(
    'get from another validator the verdict that their form gets from ours',
    { timeout: 60_000 },
    () => {
      const validate = new Ajv({ strict: false }).compile(workflowJsonSchema());
      let compared = 0;
      for (let seed = 20_001; seed <= 22_000; seed++) {
        const { text } = spoiled(seed);
        const document = parseDocument(text, { logLevel: 'silent', stringKeys: true });
        if (document.errors.length > 0 || document.warnings.length > 0) continue;
        const value = toJs(document);
        if (value === undefined) continue;
        const { file, problems } = checkDocument(value);
        compared++;
        const isAccepted = validate(value);
        const hasError = problems.some(({ severity = 'error' }) => severity === 'error');
        if (isAccepted && file === undefined) {
          throw new Error(`seed ${seed}: only ours refuses ${JSON.stringify(problems[0])}`);
        }
        if (!isAccepted && !hasError) {
          throw new Error(
            `seed ${seed}: only the schema refuses ${JSON.stringify(validate.errors)}`,
          );
        }
      }
      expect(compared).toBeGreaterThan(300);
    },
  );
});
