/** Checks that the models that a file names exist and have the abilities that their nodes need. */
import { suggest } from '../../errors/support/suggest.ts';
import { makerOf, PROVIDERS } from '../../providers/known-providers.ts';
import { lacks, type Capability } from '../../providers/pricing/capabilities.ts';
import { allNodes } from '../plan/node-list.ts';
import type { FilePlan } from '../plan/plan.ts';
import { isKnownProvider, isTemplate, SIMULATED_PROVIDER } from '../plan/model-names.ts';
import type { AgentPlan, ModelEntry, NodePlan, SupervisorPlan } from '../plan/node-plan.ts';
import { fromPointer, type Path } from '../plan/pointer.ts';
import type { ReportProblem } from '../diagnostics/problem.ts';
import { quoted } from '../diagnostics/diagnostic-words.ts';

export interface ModelsContext {
  readonly plan: FilePlan;
  /** The caller's runtime, for a child that sets none. */
  readonly inherited: FilePlan['runtime'];
  /** False for a file that is checked alone and may be the child of another. */
  readonly isCalled: boolean;
  /** Providers that the host registers. */
  readonly providers: readonly string[];
}

export function checkModels(context: ModelsContext, report: ReportProblem): void {
  const { plan } = context;
  checkChain(
    plan.runtime?.defaultModel ?? [],
    ['workflow', 'runtime', 'default_model'],
    context,
    report,
  );
  for (const node of allNodes(plan)) checkNode(node, context, report);
}

function checkNode(node: NodePlan, context: ModelsContext, report: ReportProblem): void {
  const path = fromPointer(node.location.pointer);
  if (node.type !== 'agent' && node.type !== 'supervisor') return;
  const chain = node.model ?? (context.plan.runtime ?? context.inherited)?.defaultModel;
  if (chain === undefined) {
    report({
      code: 'no-model',
      message: `${quoted(node.name)} has no model, and the file has no default model`,
      path,
      suggestion: 'Set `model: provider/name` on the node, or `workflow.runtime.default_model`',
    });
    return;
  }
  if (node.model !== undefined) checkChain(node.model, [...path, 'model'], context, report);
  if (node.type === 'agent' && node.validator?.model !== undefined)
    checkChain(node.validator.model, [...path, 'validator', 'model'], context, report);
  checkCapabilities(node, chain, path, report);
}

function checkChain(
  chain: readonly ModelEntry[],
  path: Path,
  context: ModelsContext,
  report: ReportProblem,
): void {
  for (const { model } of chain) {
    if (isTemplate(model)) continue;
    const slash = model.indexOf('/');
    const provider = slash < 0 ? '' : model.slice(0, slash);
    if (slash > 0 && slash === model.length - 1) {
      report({
        code: 'unknown-model',
        message: `${quoted(model)} names a provider, but no model of it`,
        path,
        expected: 'provider/model',
        suggestion: `Write the name of the model after ${quoted(model)}`,
      });
      continue;
    }
    if (isKnownProvider(provider) || context.providers.includes(provider)) continue;
    const known = [SIMULATED_PROVIDER, ...PROVIDERS.map(({ name }) => name), ...context.providers];
    const meant = slash < 0 ? makerOf(model) : suggest(provider, known);
    report({
      code: 'unknown-model',
      message:
        slash < 0
          ? `The model ${quoted(model)} names no provider`
          : `No provider is called ${quoted(provider)}`,
      path,
      expected: 'provider/model',
      suggestion:
        meant === undefined
          ? 'Write `provider/model`, for example `openai/gpt-6-mini` or `anthropic/claude-sonnet-5`'
          : `${meant}/${model.slice(slash + 1)}`,
    });
  }
}

const ABILITIES: Readonly<Record<Capability, string>> = {
  tools: 'call tools',
  structured_output: 'return structured output',
  streaming: 'stream its reply',
  images: 'read images',
};

/** Only the first model of the chain needs the ability; a later one without it is skipped. */
function checkCapabilities(
  node: AgentPlan | SupervisorPlan,
  [first]: readonly ModelEntry[],
  path: Path,
  report: ReportProblem,
): void {
  if (first === undefined) return;
  const wanted = [
    ...(node.type === 'agent' && node.tools !== null && node.tools.length > 0
      ? (['tools'] as const)
      : []),
    ...(node.type === 'supervisor' || node.outputSchema !== undefined
      ? (['structured_output'] as const)
      : []),
  ];
  for (const capability of wanted) {
    if (!lacks(first.model, capability)) continue;
    report({
      code: 'capability-missing',
      severity: 'warning',
      message: `${quoted(first.model)} cannot ${ABILITIES[capability]}, which ${quoted(node.name)} needs`,
      path: [...path, 'model'],
      suggestion: 'Choose a model that can, or put one before it in the chain',
    });
  }
}
