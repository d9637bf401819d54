/**
 * Replaces the providers of a file by their stand-ins in its document, before anything else reads
 * it. Schema, rules and plan then see a file that names providers which Errand has.
 */
import type { Problem } from '../diagnostics/problem.ts';
import { listed, quoted } from '../diagnostics/diagnostic-words.ts';
import { SIMULATED_PROVIDER } from '../plan/model-names.ts';
import type { Path } from '../plan/pointer.ts';
import {
  isPlayed,
  standInForFile,
  standInForNode,
  type ProviderChoice,
} from '../plan/provider-choice.ts';
import { asMap, type Raw } from '../rules/read-raw.ts';

export interface StoodIn {
  readonly document: unknown;
  /** Settings of the replaced provider that the stand-in does not have. */
  readonly problems: readonly Problem[];
}

const PROVIDER: Path = ['workflow', 'runtime', 'provider'];

/** Settings that mean the same for every provider. */
const SHARED_SETTINGS: ReadonlySet<string> = new Set([
  'name',
  'base_url',
  'api_key',
  'api_key_command',
  'headers',
]);

/** `isTop`: a called file without a `runtime` uses the runtime of its caller. */
export function withStandIns(document: unknown, choice: ProviderChoice, isTop: boolean): StoodIn {
  const file = asMap(document);
  // not a workflow, which is reported later, or no provider to replace
  if (file !== document || (choice.provider ?? choice.byName) === undefined)
    return { document, problems: [] };
  const header = asMap(file['workflow']);
  const isWorkflow = 'workflow' in file && (isTop || 'runtime' in header);
  const runtime = isWorkflow
    ? runtimeOf(asMap(header['runtime']), choice)
    : { runtime: undefined, problems: [] };
  const nodes = ['agents', 'nodes', 'parallel', 'for_each'].flatMap((list) =>
    Array.isArray(file[list]) ? [[list, file[list].map((node) => nodeOf(node, choice))]] : [],
  );
  return {
    document: {
      ...file,
      ...(runtime.runtime === undefined
        ? {}
        : { workflow: { ...header, runtime: runtime.runtime } }),
      ...Object.fromEntries(nodes),
    },
    problems: runtime.problems,
  };
}

function runtimeOf(
  runtime: Raw,
  choice: ProviderChoice,
): { readonly runtime: Raw; readonly problems: readonly Problem[] } {
  const { provider, ...others } = runtime;
  const settings = asMap(provider);
  if (isPlayed(choice)) {
    const model = played(runtime['default_model']) ?? playedName('default');
    const dropped = Object.keys(settings).filter((key) => key !== 'name');
    return {
      runtime: { ...others, default_model: model },
      problems: unusedSettings(dropped, SIMULATED_PROVIDER),
    };
  }
  const standIn = standInForFile(providerNameIn(runtime), choice);
  if (standIn === undefined) return { runtime, problems: [] };
  const kept = Object.entries(settings).filter(([key]) => SHARED_SETTINGS.has(key));
  const dropped = Object.keys(settings).filter((key) => !SHARED_SETTINGS.has(key));
  const own = kept.length === 0 ? standIn : { ...Object.fromEntries(kept), name: standIn };
  return { runtime: { ...others, provider: own }, problems: unusedSettings(dropped, standIn) };
}

/** The name of the provider that a `runtime` block sets, in either form. */
export function providerNameIn({ provider }: Raw): string | undefined {
  const name = typeof provider === 'string' ? provider : asMap(provider)['name'];
  return typeof name === 'string' ? name : undefined;
}

function unusedSettings(keys: readonly string[], standIn: string): readonly Problem[] {
  if (keys.length === 0) return [];
  return [
    {
      code: 'not-used',
      severity: 'info',
      message: `${quoted(standIn)} stands in for this provider, so ${listed(keys.map(quoted))} ${keys.length === 1 ? 'is' : 'are'} not used`,
      path: PROVIDER,
      suggestion: 'Keep it for the other engine, or remove it',
    },
  ];
}

function nodeOf(value: unknown, choice: ProviderChoice): unknown {
  const written = asMap(value);
  if (written !== value) return value;
  const node: Raw =
    'agent' in written ? { ...written, agent: nodeOf(written['agent'], choice) } : written;
  const { provider, ...others } = node;
  if (isPlayed(choice)) {
    const model = played(node['model']);
    const judge = asMap(node['validator']);
    return {
      ...others,
      ...(model === undefined ? {} : { model }),
      // without this the judge of an output would be a real model
      ...('model' in judge ? { validator: { ...judge, model: played(judge['model']) } } : {}),
    };
  }
  const standIn = typeof provider === 'string' ? standInForNode(provider, choice) : undefined;
  return standIn === undefined ? node : { ...node, provider: standIn };
}

/** The simulated models that play a model or a chain. */
function played(model: unknown): unknown {
  if (typeof model === 'string') return playedName(model);
  if (!Array.isArray(model)) return undefined;
  return model.map((entry: unknown) =>
    typeof entry === 'string'
      ? playedName(entry)
      : { ...asMap(entry), model: played(asMap(entry)['model']) },
  );
}

/** `anthropic/claude-sonnet-5` is played by `sim/claude-sonnet-5`. */
function playedName(model: string): string {
  const plain = model.slice(model.lastIndexOf('/') + 1).replaceAll(/[^\w.-]+/g, '-');
  return `${SIMULATED_PROVIDER}/${plain === '' ? 'default' : plain}`;
}
