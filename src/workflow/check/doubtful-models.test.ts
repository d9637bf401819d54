import { describe, expect, it } from 'vitest';
import { memoryFiles } from '../yaml/files.cases.ts';
import { validateWorkflow } from './validate-workflow.ts';

function found(model: string, header = 'description: x'): readonly string[] {
  const text = `workflow: {name: t, entry_point: a, ${header}}\nnodes: [{name: a, prompt: Hi, tools: [], model: ${model}}]\n`;
  const { files } = validateWorkflow('main.yaml', memoryFiles({ 'main.yaml': text }), {});
  return files.flatMap(({ diagnostics }) =>
    diagnostics.map(
      ({ severity, code, pointer, suggestion = '' }) =>
        `${severity} ${code} ${pointer}: ${suggestion}`,
    ),
  );
}

const BUDGET = 'limits: {budget_usd: 1}';
const PRICING =
  'cost: {pricing: {anthropic/claude-sonet-5: {input_per_mtok: 1, output_per_mtok: 2}}}';

describe('a misspelt model', () => {
  it('is a warning, with the listed model that is like it', () => {
    expect(found('anthropic/claude-sonet-5')).toEqual([
      'warning doubtful-model /nodes/0/model: anthropic/claude-sonnet-5',
    ]);
    expect(found('[openai/gpt-6-mini, openai/gpt-6-mni]')).toEqual([
      'warning doubtful-model /nodes/0/model: openai/gpt-6-mini',
    ]);
    for (const model of ['openai/gpt-5.2', 'anthropic/claude-sonnet-5', 'ollama/gpt-6-mni'])
      expect(found(model)).toEqual([]);
  });

  it('is meant where the file sets its price', () => {
    expect(found('anthropic/claude-sonet-5', `${BUDGET}, ${PRICING}`)).toEqual([]);
  });

  it('needs another name under a budget, not a price', () => {
    expect(found('anthropic/claude-sonet-5', BUDGET)).toEqual([
      'error unpriced-model /workflow/limits/budget_usd: Write `anthropic/claude-sonnet-5`, if that is the model',
      'warning doubtful-model /nodes/0/model: anthropic/claude-sonnet-5',
    ]);
  });

  it('of a provider that does not exist needs no price', () => {
    for (const model of ['antropic/claude-sonnet-5', 'claude-sonnet-5'])
      expect(found(model, BUDGET)).toEqual([
        'error unknown-model /nodes/0/model: anthropic/claude-sonnet-5',
      ]);
  });
});

describe('a simulated model beside others with replies', () => {
  const simulate = (name: string): string => `runtime: {simulate: {${name}: [{answer: x}]}}`;

  it('is a warning where one of them is probably meant', () => {
    expect(found('sim/clrk', simulate('clerk'))).toEqual([
      'warning doubtful-model /nodes/0/model: sim/clerk',
    ]);
  });

  it('is a note where none is', () => {
    expect(found('sim/helper', simulate('clerk'))).toEqual([
      'info doubtful-model /nodes/0/model: Write its replies under `runtime.simulate`, or leave them to Errand',
    ]);
  });

  it('needs no replies where no model has any', () => {
    expect(found('sim/clrk')).toEqual([]);
    expect(found('sim/clerk', simulate('clerk'))).toEqual([]);
  });
});
