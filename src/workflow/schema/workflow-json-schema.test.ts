import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { checkDocument } from './check-document.ts';
import { workflowJsonSchema } from './workflow-json-schema.ts';
import { REFUSED_FILES, REFUSED_HEADERS, REFUSED_NODES } from './refused-files.cases.ts';
import {
  AGENT,
  FILE,
  HEADER,
  NODE,
  REFUSED_AGENTS,
  REFUSED_ROUTES,
  REFUSED_TABLES,
  ROUTE,
  type Refused,
} from './refused.cases.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const schema = workflowJsonSchema();
// the unknown keywords are for editors: markdownDescription and defaultSnippets
const ajv = new Ajv({ strict: false });
const validate = ajv.compile(schema);

/** Codes that a JSON Schema cannot express: names that must exist, values that must fit others. */
const BEYOND_FORM: ReadonlySet<string> = new Set([
  'bad-schedule',
  'unknown-node',
  'unknown-state',
  'undeclared-kind',
  'duplicate-name',
  'duplicate-raise',
  'group-cycle',
  'catch-all-not-last',
  'no-success-route',
  'shadowed-name',
  'exit-codes-any',
  'not-used',
  'unsupported-value',
]);

const BEYOND_FORM_CASES: readonly RegExp[] = [
  /manages: \[done\]/,
  /initial_seconds: 5, max_seconds: 2|name: workflow/,
  /default: yess|quorum: 2|merge: append|type: \w+, default: 3|default: b\}|enum: \[1\]|pattern: "\["|minimum: 3/,
  /output_schema: \{label/,
  /mcp_servers: \{s: \{(url: x|type: http)/,
];

function cases(): (readonly [string, Refused])[] {
  const of = (template: string, rows: readonly Refused[]): (readonly [string, Refused])[] =>
    rows.map((row) => [template.replace('«»', () => row[0]), row]);
  return [
    ...of(ROUTE, REFUSED_ROUTES),
    ...of(
      AGENT.replace('«»', () => 'routes: «»'),
      REFUSED_TABLES,
    ),
    ...of(AGENT, REFUSED_AGENTS),
    ...of(NODE, REFUSED_NODES),
    ...of(FILE, REFUSED_FILES),
    ...of(HEADER, REFUSED_HEADERS),
  ];
}

describe('the JSON Schema of workflow files', () => {
  it('is valid draft-07 with an id and a title', () => {
    expect(schema).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: expect.any(String),
      title: 'Errand workflow',
    });
    expect(ajv.validateSchema(schema)).toBe(true);
  });

  it('uses nothing newer than draft-07', () => {
    const text = JSON.stringify(schema);
    for (const keyword of ['$defs', 'prefixItems', 'dependentRequired', 'unevaluatedProperties']) {
      expect(text).not.toContain(`"${keyword}":`);
    }
  });

  it('describes every field', () => {
    expect(undescribed(schema, '')).toEqual([]);
  });

  it('offers the kinds of the catalog for on_error, and snippets for routes', () => {
    expect(schema).toMatchObject({
      definitions: {
        routeKind: {
          anyOf: [
            { enum: expect.arrayContaining(['provider.rate_limited', 'provider.*']) },
            {},
            {},
          ],
        },
        route: { defaultSnippets: expect.any(Array) },
      },
    });
  });

  it.each(globSync('examples/*.yaml', { cwd: ROOT }))('accepts %s, as we do', (file) => {
    const document: unknown = parse(readFileSync(join(ROOT, file), 'utf8'));
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
    expect(checkDocument(document).problems).toEqual([]);
  });

  it('accepts the file of the contract', () => {
    const text = readFileSync(join(ROOT, 'src/workflow/yaml/__fixtures__/contract.yaml'), 'utf8');
    expect(validate(parse(text)), JSON.stringify(validate.errors)).toBe(true);
  });

  it('refuses everything that our own check refuses for its form', () => {
    const differing = cases().filter(([text, [written, code]]) => {
      const isForm =
        !BEYOND_FORM.has(code) && !BEYOND_FORM_CASES.some((each) => each.test(written));
      return validate(parse(text)) === isForm;
    });
    expect(differing.map(([, [written, code]]) => `${code}: ${written}`)).toEqual([]);
  });
});

/** Properties without a description; a reference has that of its target. */
function undescribed(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value).filter(([key]) => key !== 'examples');
  if (!('type' in value) || value.type !== 'object' || !('properties' in value)) {
    return entries.flatMap(([key, inner]) => undescribed(inner, `${path}/${key}`));
  }
  const properties = Object.entries(value.properties as Record<string, Record<string, unknown>>);
  const bare = properties
    .filter(([, field]) => field['description'] === undefined && field['$ref'] === undefined)
    .map(([key]) => `${path}/${key}`);
  const inside = properties.flatMap(([key, field]) => undescribed(field, `${path}/${key}`));
  const others = entries.filter(([key]) => key !== 'properties');
  return [
    ...bare,
    ...inside,
    ...others.flatMap(([key, inner]) => undescribed(inner, `${path}/${key}`)),
  ];
}
