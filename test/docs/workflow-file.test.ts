/** The examples and defaults of the reference, against the schema and the plan. */
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/errors/support/safe-json.ts';
import { planFile } from '../../src/workflow/plan/plan-file.ts';
import { providerOf } from '../../src/workflow/plan/plan-runtime.ts';
import { defaultsOf } from '../../src/workflow/plan/planner.ts';
import { checkDocument } from '../../src/workflow/schema/check-document.ts';
import { workflowJsonSchema } from '../../src/workflow/schema/workflow-json-schema.ts';
import { KEY_CASES } from './workflow-files.ts';

const validate = new Ajv({ strict: false }).compile(workflowJsonSchema());

describe('the examples of the workflow file', () => {
  it('are one for each key', () => {
    expect(KEY_CASES.length).toBeGreaterThan(300);
  });

  it.each(KEY_CASES)('$name', ({ key, fileWith }) => {
    const document = fileWith(key.example);
    // an info says that a key of another engine changes nothing
    const { problems } = checkDocument(document);
    expect(problems.filter(({ severity }) => severity !== 'info')).toEqual([]);
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
  });
});

/** Defaults that a plan leaves open: what runs the effect has them. */
const LATER: ReadonlySet<string> = new Set([
  'workflow.runtime.model_timeouts: first_token_seconds',
  'workflow.runtime.model_timeouts: idle_seconds',
  'workflow.runtime.model_timeouts: total_seconds',
  'workflow.runtime.mcp_servers.NAME: timeout_seconds',
  'workflow.runtime.http_fetch: timeout_seconds',
  'workflow.runtime.http_fetch: max_bytes',
]);

/** Defaults that are a value, and no words about one. */
const STATED = KEY_CASES.flatMap(({ name, key, fileWith }) => {
  const { standard = '', schema } = key;
  const { enum: choices } = schema;
  const isWord = Array.isArray(choices) && choices.includes(standard);
  if (LATER.has(name) || (!isWord && !/^(?:true|false|[\d.]+)$/.test(standard))) return [];
  return [
    { name, value: isWord ? standard : (JSON.parse(standard) as number | boolean), fileWith },
  ];
});

describe('a default of the workflow file is what a plan has without the key', () => {
  it('for many keys', () => {
    expect(STATED.length).toBeGreaterThan(25);
  });

  it.each(STATED)('$name: $value', ({ value, fileWith }) => {
    expect(planOf(fileWith(value))).toEqual(planOf(fileWith(undefined)));
  });
});

/** The plan of a file, without what only tells two files apart. */
function planOf(document: JsonObject): unknown {
  const { file, problems } = checkDocument(document);
  if (file === undefined) throw new Error(JSON.stringify(problems));
  const plan = planFile(file, 'file.yaml', {
    location: () => ({ pointer: '' }),
    written: String,
    resolve: (path) => path,
    defaults: defaultsOf(file),
    provider: providerOf(file.workflow.runtime),
  });
  const isLeftOut = (key: string): boolean =>
    key === 'fingerprint' || key === 'isDefaultMaxIterations';
  return JSON.parse(
    JSON.stringify(plan, (key, value: unknown) => (isLeftOut(key) ? undefined : value)),
  );
}
