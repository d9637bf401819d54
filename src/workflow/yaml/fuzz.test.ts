import { Ajv } from 'ajv';
import { parseDocument, type Document } from 'yaml';
import { describe, expect, it } from 'vitest';
import { checkDocument } from '../schema/check-document.ts';
import { workflowJsonSchema } from '../schema/workflow-json-schema.ts';
import { memoryFiles } from './files.cases.ts';
import { mutate, seeded, validFiles } from './mutate.cases.ts';
import { loadWorkflow, type LoadResult } from './load-workflow.ts';
import { expectCheap, ownMs } from '../../../test/own-time.ts';
import { runs } from '../../../test/runs.ts';
import { IS_WHOLE, seeds } from '../../../test/sampled.ts';

const { sources: FILES, all: ALL } = validFiles();
const NAMES = Object.keys(FILES);
/** The extra cost of a file over the valid one it was made from: a mistake needs a sentence. */
const MOST_TIMES = 50;
/** How many are measured again, each beside its valid file. */
const DEAREST = runs(10);
/** Timeout of a test on a very busy machine. */
const LONG_MS = 600_000;
const SPOILED = seeds(10_000, 'spoiled files');
const COMPARED = seeds(2000, 'spoiled files for the schema');
/** Rare ones need the whole count; which of them a sample has changes with the commit. */
const SOME_CODES = 15;
const LEAST_CODES = IS_WHOLE ? 30 : SOME_CODES;

function spoiled(seed: number): { readonly name: string; readonly text: string } {
  const name = NAMES[seed % NAMES.length] ?? '';
  return { name, text: mutate(FILES[name] ?? '', seeded(seed)) };
}

function load(name: string, text: string): LoadResult {
  return loadWorkflow(name, memoryFiles({ ...ALL, [name]: text }));
}

/** Undefined where an alias has no anchor, which no schema can judge. */
function toJs(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    return undefined;
  }
}

function expectNotDear(seed: number): void {
  const { name, text } = spoiled(seed);
  expectCheap(
    () => load(name, text),
    () => load(name, FILES[name] ?? ''),
    MOST_TIMES,
  );
}

it.each(NAMES)('%s is valid before it is spoiled', (name) => {
  const result = load(name, FILES[name] ?? '');
  expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
});

describe(`${SPOILED.length} spoiled workflow files`, () => {
  it(
    'each give a plan or diagnostics with locations, never a throw, and none is dear to read',
    { timeout: LONG_MS },
    () => {
      const costs: { readonly seed: number; readonly ms: number }[] = [];
      const seenCodes = new Set<string>();
      let accepted = 0;
      for (const seed of SPOILED) {
        const { name, text } = spoiled(seed);
        const start = ownMs();
        const result = load(name, text);
        costs.push({ seed, ms: ownMs() - start });
        if (!result.ok && result.diagnostics.length === 0)
          throw new Error(`seed ${seed}: no diagnostic`);
        if (result.ok) accepted++;
        for (const each of result.diagnostics) {
          seenCodes.add(each.code);
          const isPlaced =
            each.line >= 1 && each.column >= 1 && each.message !== '' && each.file !== '';
          if (!isPlaced) throw new Error(`seed ${seed}: ${JSON.stringify(each)}`);
        }
      }
      const dearest = costs.toSorted((a, b) => b.ms - a.ms).slice(0, DEAREST);
      for (const { seed } of dearest) expectNotDear(seed);
      expect(accepted).toBeGreaterThan(SPOILED.length * 0.05);
      expect(seenCodes.size).toBeGreaterThan(LEAST_CODES);
    },
  );

  it(
    'are accepted or refused by another JSON Schema validator exactly as by ours',
    { timeout: LONG_MS },
    () => {
      const validate = new Ajv({ strict: false }).compile(workflowJsonSchema());
      let compared = 0;
      for (const seed of COMPARED) {
        const { text } = spoiled(20_000 + seed);
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
      expect(compared).toBeGreaterThan(COMPARED.length * 0.15);
    },
  );
});
