/** Every example is valid: for us, and by form for a validator of JSON Schema that is not ours. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { nodeFiles } from '../src/engine/loading/node-files.ts';
import type { DiagnosticCode } from '../src/workflow/diagnostics/diagnostic-codes.ts';
import { renderDiagnostic } from '../src/workflow/diagnostics/diagnostics.ts';
import { validateWorkflow } from '../src/workflow/check/validate-workflow.ts';

const ROOT = join(import.meta.dirname, '..');
const EXAMPLES = globSync('examples/*.yaml', { cwd: ROOT }).toSorted();

// unknown keywords are those of editors: markdownDescription and defaultSnippets
const isOfForm = new Ajv({ strict: false }).compile(
  JSON.parse(readFileSync(join(ROOT, 'schema/workflow.json'), 'utf8')) as object,
);

describe('the examples', () => {
  it('are there', () => {
    expect(EXAMPLES.length).toBeGreaterThan(3);
  });

  it.each(EXAMPLES)('%s is valid, without a warning', (file) => {
    const { isValid, files } = validateWorkflow(file, nodeFiles(ROOT), {});
    const reported = files.flatMap(({ diagnostics }) => diagnostics);
    expect(reported.filter(({ severity }) => severity !== 'info').map(renderDiagnostic)).toEqual(
      [],
    );
    expect(isValid).toBe(true);
  });

  it.each(EXAMPLES)('%s has the form of the published schema', (file) => {
    expect(isOfForm(read(file)), JSON.stringify(isOfForm.errors)).toBe(true);
  });
});

/** What only the form decides, so that an editor marks it too. */
const OF_FORM = [
  'unknown-key',
  'missing-key',
  'wrong-type',
  'bad-value',
  'bad-duration',
  'unsupported-key',
  'unsupported-type',
  'unknown-node-type',
  'two-moves',
  'no-move',
  'move-needs-error',
  'on-error-value',
  'error-table-route',
  'bad-kind',
  'unknown-kind',
  'reserved-kind',
  'either-or',
  'agents-and-nodes',
] as const satisfies readonly DiagnosticCode[];

describe('the refused examples', () => {
  it.each(OF_FORM)('%s is refused by the published schema too', (code) => {
    expect(isOfForm(read(`examples/invalid/${code}.yaml`))).toBe(false);
  });
});

function read(file: string): unknown {
  return parse(readFileSync(join(ROOT, file), 'utf8'));
}
