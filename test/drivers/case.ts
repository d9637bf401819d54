/**
 * A failure behaviour that every driver must show alike: a workflow, what its effects do, and what
 * people do when it rests.
 */
import { ErrandError } from '../../src/errors/errand-error.ts';
import type { JsonObject, JsonValue } from '../../src/errors/json.ts';
import type { ReportDraft } from '../../src/errors/report.ts';
import type { GoingOn } from '../../src/drivers/going-on.ts';
import type { PreparedAnswer } from '../../src/drivers/local.ts';
import type { WhenStopped } from '../../src/drivers/simulation/fate.ts';
import type { Bound, RunEvent } from '../../src/machine/events.ts';
import type { FunctionContext } from '../../src/effects/function.ts';
import type { WorkflowPlan } from '../../src/workflow/model.ts';
import { until } from '../temporal/killing.ts';
import { planOfTexts } from './plan.ts';

/** The n-th try of an effect fails with the n-th, the last one repeats, and null succeeds. */
export interface EffectScript {
  readonly fails?: readonly (ReportDraft | null)[];
  readonly output?: JsonValue;
  /** It does not end by itself. */
  readonly hangs?: true;
  /** Its first try does not end by itself either; told to stop, it does this. */
  readonly whenStopped?: WhenStopped;
  /** It ends when something else hangs. */
  readonly waits?: true;
}

/** How a run that rests is gone on with. */
export interface Further extends Pick<GoingOn, 'from' | 'acceptDrift' | 'now' | 'input'> {
  /** The files as they are by now. */
  readonly files?: Readonly<Record<string, string>>;
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
  /** What its legs are held to. Default: what `errand validate` prints. */
  readonly bound?: Bound;
  /** One after the other, whenever it rests and waits for no answer. */
  readonly goesOn?: readonly Further[];
  /** How often it is cancelled once it rests. */
  readonly cancels?: number;
  /** Cancelled as soon as this has happened; or once what hangs has begun to. */
  readonly cancelsAfter?: RunEvent['type'] | 'hanging';
  /** What only real effects show: models, scripts, the sandbox. */
  readonly isReal?: true;
  /** Takes long, so that it is shown once on each driver. */
  readonly isLong?: true;
}

const SCRIPTS = new Map<string, EffectScript>();

/**
 * Each case has a name of its own, so that one worker can serve them all. A run that goes on with
 * changed files is still the same run: it keeps the ticket of the plan that it had `before`.
 */
export function planOf(
  { name, files, effects = {} }: DriverCase,
  changed: Further['files'] = files,
  before?: WorkflowPlan,
): WorkflowPlan {
  for (const [path, script] of Object.entries(effects)) SCRIPTS.set(`${name}\n${path}`, script);
  // so that whoever waits for it knows which of several runs hangs
  const hangs = Object.values(effects).some(
    (script) => script.hangs === true || script.whenStopped !== undefined,
  );
  const ticket = ticketOf(before) ?? (hangs ? `ticket ${(tickets += 1)}` : undefined);
  const written = Object.entries(changed).map(([file, text]) => [
    file,
    text.replaceAll(
      /\bact\((?<path>[^)]*)\)/g,
      (_, path: string) =>
        `type: call, function: act, arguments: {of: ${JSON.stringify(name)}, as: ${JSON.stringify(path)}${ticket === undefined ? '' : `, ticket: ${ticket}`}}`,
    ),
  ]);
  const plan = planOfTexts(Object.fromEntries(written) as Record<string, string>);
  const whole = { ...plan, tools: { '': { act: ACT, 's/throw': ACT } } };
  if (ticket !== undefined) TICKETS.set(whole, ticket);
  return whole;
}

let tickets = 0;
const TICKETS = new WeakMap<WorkflowPlan, string>();

function ticketOf(plan: WorkflowPlan | undefined): string | undefined {
  return plan === undefined ? undefined : TICKETS.get(plan);
}

const HANGING = new Set<string>();

/** Whether an effect of the run of this very plan hangs by now. */
export function isHanging(plan: WorkflowPlan): boolean {
  return HANGING.has(ticketOf(plan) ?? '');
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
export function act(input: JsonValue, context: FunctionContext): JsonValue | Promise<JsonValue> {
  const { of: name, as: path, ticket = '' } = input as { of: string; as: string; ticket?: string };
  const script = SCRIPTS.get(`${name}\n${path}`) ?? {};
  // what a run goes back to is another action, and the next try of the same node
  const action = ticket === '' ? context.idempotencyKey : `${ticket}\n${path}`;
  const tries = TRIES.get(action) ?? 0;
  TRIES.set(action, tries + 1);
  if (script.hangs === true) return hang('gives up', { script, ticket, context });
  if (script.whenStopped !== undefined && tries === 0)
    return hang(script.whenStopped, { script, ticket, context });
  if (script.waits === true)
    return until(() => HANGING.has(ticket)).then(() => outcomeOf(script, tries));
  return outcomeOf(script, tries);
}

function outcomeOf({ fails = [], output = {} }: EffectScript, tries: number): JsonValue {
  const failure = fails[Math.min(tries, fails.length - 1)] ?? null;
  if (failure !== null) throw new ErrandError(failure);
  return output;
}

interface Hanging {
  readonly script: EffectScript;
  readonly ticket: string;
  readonly context: FunctionContext;
}

function hang(how: WhenStopped, { script, ticket, context }: Hanging): Promise<JsonValue> {
  const { signal } = context;
  return new Promise((resolve, reject) => {
    HANGING.add(ticket);
    signal.addEventListener('abort', () => {
      switch (how) {
        case 'finishes':
          return resolve(script.output ?? {});
        case 'gives up':
          return reject(signal.reason);
        case 'ignores it':
          return undefined;
      }
    });
  });
}
