/** Checks that the models that a file names exist and have the abilities that their nodes need. */
import { suggest } from '../../errors/support/suggest.ts';
import { makerOf, PROVIDERS } from '../../providers/known-providers.ts';
import { lacks, type Capability } from '../../providers/pricing/capabilities.ts';
import { listedModelLike } from '../../providers/pricing/listed-model.ts';
import { priceOf } from '../../providers/pricing/prices.ts';
import { allNodes } from '../plan/node-list.ts';
import type { FilePlan } from '../plan/plan.ts';
import { isKnownProvider, isTemplate, SIMULATED_PROVIDER } from '../plan/model-names.ts';
import type { AgentPlan, ModelEntry, NodePlan, SupervisorPlan } from '../plan/node-plan.ts';
import { fromPointer, type Path } from '../plan/pointer.ts';
import type { Problem, ReportProblem } from '../diagnostics/problem.ts';
import { quoted } from '../diagnostics/diagnostic-words.ts';

export interface ModelsContext {
  readonly plan: FilePlan;
  /** The caller's runtime, for a child that sets none. */
  readonly inherited: FilePlan['runtime'];
  /** False for a file that is checked alone and may be the child of another. */
  readonly isCalled: boolean;
  /** Providers that the host registers. */
  readonly providers: readonly string[];
  /** Simulated models play the file, under the names of its own. */
  readonly isPlayed: boolean;
}

type Judge = (model: string) => Omit<Problem, 'path'> | undefined;

export function checkModels(context: ModelsContext, report: ReportProblem): void {
  const { plan } = context;
  const judge = judgingOnce(context);
  checkChain(
    plan.runtime?.defaultModel ?? [],
    ['workflow', 'runtime', 'default_model'],
    judge,
    report,
  );
  for (const node of allNodes(plan)) checkNode(node, context, judge, report);
}

/** Thousands of nodes name a few models, and each name is compared with many. */
function judgingOnce(context: ModelsContext): Judge {
  const judged = new Map<string, ReturnType<Judge>>();
  return (model) => {
    if (!judged.has(model)) judged.set(model, modelProblem(model, context));
    return judged.get(model);
  };
}

function checkNode(
  node: NodePlan,
  context: ModelsContext,
  judge: Judge,
  report: ReportProblem,
): void {
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
  if (node.model !== undefined) checkChain(node.model, [...path, 'model'], judge, report);
  if (node.type === 'agent' && node.validator?.model !== undefined)
    checkChain(node.validator.model, [...path, 'validator', 'model'], judge, report);
  checkCapabilities(node, chain, path, report);
}

function checkChain(
  chain: readonly ModelEntry[],
  path: Path,
  judge: Judge,
  report: ReportProblem,
): void {
  for (const { model } of chain) {
    const problem = isTemplate(model) ? undefined : judge(model);
    if (problem !== undefined) report({ ...problem, path });
  }
}

function modelProblem(model: string, context: ModelsContext): ReturnType<Judge> {
  const unknown = unknownProvider(model, context.providers);
  if (unknown !== undefined) return unknown;
  const simulated = `${SIMULATED_PROVIDER}/`;
  if (model.startsWith(simulated)) return unscripted(model.slice(simulated.length), context);
  const meant = listedModelLike(model);
  if (meant === undefined || priceOf(model, context.plan.prices) !== null) return undefined;
  return {
    code: 'doubtful-model',
    severity: 'warning',
    message: `${quoted(model)} is not in the list of models, but ${quoted(meant)} is`,
    suggestion: meant,
  };
}

/** A model of a provider that does not exist, or a provider without a model. */
export function unknownProvider(
  model: string,
  providers: readonly string[],
): Omit<Problem, 'path'> | undefined {
  const slash = model.indexOf('/');
  const provider = slash < 0 ? '' : model.slice(0, slash);
  if (slash > 0 && slash === model.length - 1) {
    return {
      code: 'unknown-model',
      message: `${quoted(model)} names a provider, but no model of it`,
      expected: 'provider/model',
      suggestion: `Write the name of the model after ${quoted(model)}`,
    };
  }
  if (isKnownProvider(provider) || providers.includes(provider)) return undefined;
  const known = [SIMULATED_PROVIDER, ...PROVIDERS.map(({ name }) => name), ...providers];
  const meant = slash < 0 ? makerOf(model) : suggest(provider, known);
  return {
    code: 'unknown-model',
    message:
      slash < 0
        ? `The model ${quoted(model)} names no provider`
        : `No provider is called ${quoted(provider)}`,
    expected: 'provider/model',
    suggestion:
      meant === undefined
        ? 'Write `provider/model`, for example `openai/gpt-6-mini` or `anthropic/claude-sonnet-5`'
        : `${meant}/${model.slice(slash + 1)}`,
  };
}

/** A file may leave a simulated model without replies; beside a similar name with some it is a mistake. */
function unscripted(name: string, { plan, inherited, isPlayed }: ModelsContext): ReturnType<Judge> {
  const scripted = Object.keys((plan.runtime ?? inherited)?.simulate ?? {});
  if (isPlayed || scripted.length === 0 || scripted.includes(name)) return undefined;
  const meant = suggest(name, scripted);
  return {
    code: 'doubtful-model',
    severity: meant === undefined ? 'info' : 'warning',
    message: `\`runtime.simulate\` has no ${quoted(name)}, so its replies are made up`,
    suggestion:
      meant === undefined
        ? `Write its replies under \`runtime.simulate\`, or leave them to Errand`
        : `${SIMULATED_PROVIDER}/${meant}`,
  };
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
