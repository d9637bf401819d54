/** Makes and plays all scenarios of one plan: those that are generated, then those that are written. */
import type { JsonObject, JsonValue } from '../errors/support/safe-json.ts';
import type { ValidatedFile } from '../workflow/check/validate-workflow.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';
import type { PlannedScenario } from '../workflow/rehearsal-plan/plan-schema.ts';
import { Notebook } from './figures/notebook.ts';
import type { DetailsByKind } from './inject/drafts.ts';
import { atlasOf, type Atlas } from './places/atlas.ts';
import { writtenScenarios } from './plan-file/written-scenarios.ts';
import type { Transforms } from './play/transforms.ts';
import { ScenarioPlayer } from './scenarios/scenario-player.ts';
import { Playbill } from './scenarios/generate-scenarios.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { WorldValues } from './values/world-values.ts';

/** Settings of the world, beside the workflow itself. */
export interface WorldOptions {
  readonly seed?: number;
  /** Inputs; the others are made up. */
  readonly input?: JsonObject;
  /** Outputs of nodes that work, by node or path. */
  readonly given?: Readonly<Record<string, JsonValue>>;
  /** Details of injected failures, by kind. */
  readonly details?: DetailsByKind;
  /** Answers to gates and questions, by node or path. */
  readonly answers?: Readonly<Record<string, JsonValue>>;
  /** Scenarios that a plan writes. */
  readonly scenarios?: readonly PlannedScenario[];
  readonly generate?: {
    readonly kinds?: 'all' | 'routed' | 'none';
    readonly doubt?: 'all' | 'none';
  };
  /** Only scenarios whose name contains the text. */
  readonly only?: string;
  /** Every scenario keeps the events before its end. Default: only surprises do. */
  readonly keepsWays?: boolean;
  /** Called with the scenario being played: `12 scenarios; refund: payment.declined`. */
  readonly onProgress?: (text: string) => void;
}

export interface Performed {
  readonly atlas: Atlas;
  readonly player: ScenarioPlayer;
  readonly notes: Notebook;
  readonly scenarios: readonly Scenario[];
}

export async function performAll(
  plan: WorkflowPlan,
  files: readonly Pick<ValidatedFile, 'file' | 'nodes'>[],
  options: WorldOptions & { readonly transforms: Transforms },
): Promise<Performed> {
  const { seed = 1, given = {}, input = {}, details = {}, answers = {}, transforms } = options;
  const atlas = atlasOf(plan, files);
  const values = new WorldValues(atlas, { outputs: given, input });
  const player = new ScenarioPlayer({
    atlas,
    values,
    seed,
    evaluate: (request) => transforms.evaluate(request),
    details,
    answers,
  });
  const notes = new Notebook(atlas);
  const isShown = ({ name }: Pick<Scenario, 'name'>): boolean =>
    options.only === undefined || name.includes(options.only);
  let played = 0;
  const bill = new Playbill(player, {
    kinds: options.generate?.kinds ?? 'all',
    doubt: options.generate?.doubt ?? 'all',
    keepsWays: options.keepsWays ?? false,
    onPlayed: (performance, scenario) => {
      options.onProgress?.(`${++played} scenarios; ${scenario.name}`);
      if (isShown(scenario)) notes.note(performance);
    },
  });
  const generated = await bill.make();
  const written = await writtenScenarios(bill, options.scenarios ?? []);
  return { atlas, player, notes, scenarios: [...generated, ...written].filter(isShown) };
}
