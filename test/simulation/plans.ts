/** Generated workflows that the checks accept, with the printed worst case. */
import { simulate } from '../../src/rehearsal/simulated-run.ts';
import { memoryFiles } from '../../src/workflow/yaml/files.cases.ts';
import type { WorstCase } from '../../src/workflow/check/worst-case.ts';
import type { WorkflowPlan } from '../../src/workflow/plan/plan.ts';
import { validateWorkflow } from '../../src/workflow/check/validate-workflow.ts';
import { speak } from './conversation.ts';
import { generate, type Files } from './generate.ts';
import { TOOLS } from './tools.ts';

export interface DrawnPlan {
  readonly files: Files;
  readonly plan: WorkflowPlan;
  readonly isTimeless: boolean;
  /** The highest figures that validate prints before the run; null if nothing bounds them. */
  readonly worstCase: WorstCase;
}

const KNOWN = { functions: ['f'], tools: Object.keys(TOOLS), describes: TOOLS };

/** Many small runs find more than a few long ones. */
const MOST_EVENTS = 80;

const DRAWN = new Map<number, Promise<DrawnPlan>>();

/** The workflow of a number; one whose run is too long is replaced by the next. */
export function drawPlan(number: number): Promise<DrawnPlan> {
  const known = DRAWN.get(number);
  if (known !== undefined) return known;
  // seeds come in order, so the one before is not needed again
  DRAWN.clear();
  const drawn = draw(number);
  DRAWN.set(number, drawn);
  return drawn;
}

async function draw(number: number): Promise<DrawnPlan> {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const drawn = planOf(number * 1000 + attempt);
    const { events } = await simulate(drawn.plan, { answers: 'any', maxLegs: 10, speaker: speak });
    if (events.length <= MOST_EVENTS) return drawn;
  }
  throw new Error(`No file of number ${number} is short enough`);
}

function planOf(seed: number): DrawnPlan {
  const { files, isTimeless } = generate(seed);
  return { ...planOfFiles(files), isTimeless };
}

/** Throws if the checks refuse it: a generated file must be valid. */
export function planOfFiles(files: Files): Omit<DrawnPlan, 'isTimeless'> {
  const { plan, files: verdicts } = validateWorkflow(
    'main.yaml',
    memoryFiles(files),
    {},
    { known: () => KNOWN },
  );
  const worstCase = verdicts[0]?.worstCase ?? undefined;
  if (plan === undefined || worstCase === undefined)
    throw new Error(JSON.stringify(verdicts.flatMap((v) => v.diagnostics)));
  const names = ['', ...Object.keys(plan.children)];
  const tools = Object.fromEntries(names.map((name) => [name, TOOLS]));
  const whole = { ...plan, tools };
  TEXTS.set(whole, files);
  return { files, plan: whole, worstCase };
}

const TEXTS = new WeakMap<WorkflowPlan, Files>();

/** The files that a plan was made from. */
export function textsOf(plan: WorkflowPlan): Files {
  return TEXTS.get(plan) ?? {};
}
