import { describe, expect, it } from 'vitest';
import { memoryFiles } from '../yaml/files.cases.ts';
import { validateWorkflow, type Validation } from './validate-workflow.ts';

function judge(
  header: string,
  nodes = '{name: a, prompt: Hi, tools: [], model: acme/x}',
  more: Readonly<Record<string, string>> = {},
): Validation {
  const text = `workflow: {name: t, entry_point: a, ${header}}\nnodes: [${nodes}]\n`;
  const files = memoryFiles({ 'main.yaml': text, ...more });
  return validateWorkflow('main.yaml', files, {}, { providers: ['acme'] });
}

function found({ files }: Validation): readonly string[] {
  return files.flatMap(({ diagnostics }) =>
    diagnostics
      .filter(({ code }) => code === 'unpriced-model')
      .map(({ severity, pointer }) => `${severity} ${pointer}`),
  );
}

const PRICE = 'cost: {pricing: {acme/x: {input_per_mtok: 1, output_per_mtok: 2}}}';

describe('a budget in dollars over a model without a price', () => {
  it('is refused with line, column and advice', () => {
    const validation = judge('limits: {budget_usd: 0.01}');
    expect(validation.isValid).toBe(false);
    expect(validation.plan).toBeUndefined();
    const [problem] = validation.files[0]?.diagnostics ?? [];
    expect(problem).toMatchObject({
      code: 'unpriced-model',
      kind: 'validation.workflow',
      severity: 'error',
      pointer: '/workflow/limits/budget_usd',
      line: 1,
    });
    expect(problem?.message).toContain('acme/x');
    expect(problem?.suggestion).toContain('unpriced: allow');
  });

  it('is refused however the model is reached', () => {
    const chain = '{name: a, prompt: Hi, tools: [], model: [sim/y, acme/x]}';
    expect(found(judge('limits: {budget_usd: 1}', chain))).toHaveLength(1);
    const inherited = '{name: a, prompt: Hi, tools: []}';
    expect(
      found(judge('limits: {budget_usd: 1}, runtime: {default_model: acme/x}', inherited)),
    ).toHaveLength(1);
    const supervisor =
      '{name: a, type: supervisor, prompt: Hi, model: acme/x, manages: [b]}, {name: b, type: set, value: 1}';
    expect(found(judge('limits: {budget_usd: 1}', supervisor))).toHaveLength(1);
    const child = {
      'c.yaml':
        'workflow: {name: c, entry_point: a}\nnodes: [{name: a, prompt: Hi, model: acme/x}]\n',
    };
    const calls = '{name: a, type: workflow, workflow: ./c.yaml}';
    expect(found(judge('limits: {budget_usd: 1}', calls, child))).toEqual([
      'error /workflow/limits/budget_usd',
    ]);
    const asking = 'limits: {budget_usd: 1, budget_mode: ask}';
    expect(found(judge(asking))).toHaveLength(1);
    const own = '{name: a, prompt: Hi, tools: [], model: acme/x, budget: {usd: 0.1}}';
    expect(found(judge('description: x', own))).toEqual(['error /nodes/0/budget/usd']);
  });

  it('is fine with a price, in the file or in that of a caller', () => {
    const priced = judge(`limits: {budget_usd: 1}, ${PRICE}`);
    expect(priced.isValid).toBe(true);
    expect(priced.files[0]?.worstCase?.costUsdMicros).toBe(1_000_000);
    const child = {
      'c.yaml':
        'workflow: {name: c, entry_point: a}\nnodes: [{name: a, prompt: Hi, model: acme/x}]\n',
    };
    const calls = '{name: a, type: workflow, workflow: ./c.yaml}';
    expect(found(judge(`limits: {budget_usd: 1}, ${PRICE}`, calls, child))).toEqual([]);
  });

  it('is allowed where the file says so, and is then no bound', () => {
    const { isValid, files } = judge('limits: {budget_usd: 1, unpriced: allow}');
    expect(isValid).toBe(true);
    expect(files[0]?.worstCase?.costUsdMicros).toBeNull();
    expect(files[0]?.worstCase?.unbounded).toContain(
      'no price is known for acme/x, so no budget limits a',
    );
    const own = '{name: a, prompt: Hi, tools: [], model: acme/x, budget: {usd: 0.1}}';
    const allowed = judge('limits: {unpriced: allow}', own);
    expect(allowed.isValid).toBe(true);
    expect(allowed.files[0]?.worstCase?.costUsdMicros).toBeNull();
  });

  it('is a warning where budgets are not enforced', () => {
    const audited = judge('limits: {budget_usd: 1, budget_mode: audit}');
    expect(audited.isValid).toBe(true);
    expect(found(audited)).toEqual(['warning /workflow/limits/budget_usd']);
  });

  it('does not concern token budgets, simulated models and local models', () => {
    expect(found(judge('limits: {budget_tokens: 5}'))).toEqual([]);
    for (const model of ['sim/x', 'ollama/x', 'openai/gpt-6-mini', 'anthropic/claude-sonnet-5'])
      expect(
        found(
          judge('limits: {budget_usd: 1}', `{name: a, prompt: Hi, tools: [], model: ${model}}`),
        ),
      ).toEqual([]);
  });

  it('is reported for each of several models', () => {
    const chain = '{name: a, prompt: Hi, tools: [], model: [acme/x, acme/y, acme/x]}';
    expect(found(judge('limits: {budget_usd: 1}', chain))).toHaveLength(2);
  });
});
