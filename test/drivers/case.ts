/**
 * A failure behaviour that every driver must show alike: a workflow, what its effects do, and what
 * people do when it rests.
 */
import { ErrandError } from '../../src/errors/errand-error.ts';
import type { JsonObject, JsonValue } from '../../src/errors/json.ts';
import type { ReportDraft } from '../../src/errors/report.ts';
import type { PreparedAnswer } from '../../src/drivers/local.ts';
import type { FunctionContext } from '../../src/effects/function.ts';
import type { WorkflowPlan } from '../../src/workflow/model.ts';
import { planOfTexts } from './plan.ts';

/** The n-th try of an effect fails with the n-th, the last one repeats, and null succeeds. */
export interface EffectScript {
  readonly fails?: readonly (ReportDraft | null)[];
  readonly output?: JsonValue;
}

export interface DriverCase {
  readonly name: string;
  /** `main.yaml` and what it calls; `act(PATH)` stands for a call that does what `effects` says. */
  readonly files: Readonly<Record<string, string>>;
  /** By the path of the node. */
  readonly effects?: Readonly<Record<string, EffectScript>>;
  readonly input?: JsonObject;
  /** One after the other, whenever the run waits for a person. */
  readonly answers?: readonly JsonValue[];
  readonly prepared?: readonly PreparedAnswer[];
  readonly gates?: false;
  /** How often a failed run is resumed. */
  readonly resumes?: number;
  /** Cancelled when it first rests. */
  readonly cancels?: true;
  /** What only real effects show: models, scripts, the sandbox. */
  readonly isReal?: true;
}

const SCRIPTS = new Map<string, EffectScript>();

/** Each case has a name of its own, so that one worker can serve them all. */
export function planOf({ name, files, effects = {} }: DriverCase): WorkflowPlan {
  for (const [path, script] of Object.entries(effects)) SCRIPTS.set(`${name}\n${path}`, script);
  const written = Object.entries(files).map(([file, text]) => [
    file,
    text.replaceAll(
      /\bact\((?<path>[^)]*)\)/g,
      (_, path: string) =>
        `type: call, function: act, arguments: {of: ${JSON.stringify(name)}, as: ${JSON.stringify(path)}}`,
    ),
  ]);
  const plan = planOfTexts(Object.fromEntries(written) as Record<string, string>);
  return { ...plan, tools: { '': { act: ACT } } };
}

/** As an agent sees it. */
const ACT = {
  isDeclared: true,
  description: 'Does what the case says',
  inputSchema: { type: 'object' },
  isIdempotent: false,
  writes: true,
};

const TRIES = new Map<string, number>();

/** The function behind `act(PATH)`. */
export function act(input: JsonValue, { idempotencyKey }: FunctionContext): JsonValue {
  const { of: name, as: path } = input as { of: string; as: string };
  const { fails = [], output = {} } = SCRIPTS.get(`${name}\n${path}`) ?? {};
  const tries = TRIES.get(idempotencyKey) ?? 0;
  TRIES.set(idempotencyKey, tries + 1);
  const failure = fails[Math.min(tries, fails.length - 1)] ?? null;
  if (failure !== null) throw new ErrandError(failure);
  return output;
}
