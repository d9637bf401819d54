/**
 * A failure behaviour that every backend must show alike: a workflow, the script of its effects,
 * and the actions of people when a leg ends.
 */
import { ErrandError } from '../../src/errors/thrown/errand-error.ts';
import type { JsonObject, JsonValue } from '../../src/errors/support/safe-json.ts';
import type { ReportDraft } from '../../src/errors/report/report.ts';
import type { ResumeRequest } from '../../src/engine/run/resume.ts';
import type { PreparedAnswer } from '../../src/engine/backend.ts';
import type { WhenStopped } from '../../src/rehearsal/world/fate.ts';
import type { Bound, RunEvent } from '../../src/machine/state/events.ts';
import type { FunctionContext } from '../../src/effects/function/call-function.ts';
import type { WorkflowPlan } from '../../src/workflow/plan/plan.ts';
import { until } from '../temporal/killing.ts';
import { planOfTexts } from './plan.ts';

/** The n-th call of an effect fails with the n-th kind, the last one repeats, and null succeeds. */
export interface EffectScript {
  readonly fails?: readonly (ReportDraft | null)[];
  readonly output?: JsonValue;
  /** Never ends by itself. */
  readonly hangs?: true;
  /** The first call does not end by itself either; when stopped, it does this. */
  readonly whenStopped?: WhenStopped;
  /** Ends when something else hangs. */
  readonly waits?: true;
}

/** How a run is resumed after a leg has ended. */
export interface Further extends Pick<ResumeRequest, 'from' | 'acceptDrift' | 'now' | 'input'> {
  /** The current texts of the files. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface DriverCase {
  readonly name: string;
  /** `main.yaml` and the files that it calls; `act(PATH)` is a call that follows `effects`. */
  readonly files: Readonly<Record<string, string>>;
  /** Scripts by the path of the node. */
  readonly effects?: Readonly<Record<string, EffectScript>>;
  readonly input?: JsonObject;
  /** Given one after the other, whenever the run waits for a person. */
  readonly answers?: readonly JsonValue[];
  /** Repeats each answer for its question, after the run has continued. */
  readonly repeatsAnswers?: true;
  readonly prepared?: readonly PreparedAnswer[];
  readonly gates?: false;
  /** The bound of its legs. Default: what `errand validate` prints. */
  readonly bound?: Bound;
  /** Applied one after the other, whenever a leg ends and the run waits for no answer. */
  readonly goesOn?: readonly Further[];
  /** The number of cancellations after a leg has ended. */
  readonly cancels?: number;
  /** Cancels as soon as this event has happened; or once a hanging effect has begun. */
  readonly cancelsAfter?: RunEvent['type'] | 'hanging';
  /** For behaviour that only real effects show: models, scripts, the sandbox. */
  readonly isReal?: true;
  /** A long case, so it runs once on each backend. */
  readonly isLong?: true;
}

const SCRIPTS = new Map<string, EffectScript>();

/**
 * Each case has a name of its own, so that one worker can serve them all. A run resumed with
 * changed files is still the same run: it keeps the ticket of its plan from `before`.
 */
export function planOf(
  { name, files, effects = {} }: DriverCase,
  changed: Further['files'] = files,
  before?: WorkflowPlan,
): WorkflowPlan {
  for (const [path, script] of Object.entries(effects)) SCRIPTS.set(`${name}\n${path}`, script);
  // so that a waiting test knows which of several runs hangs
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

/** Whether an effect of this plan's run hangs by now. */
export function isHanging(plan: WorkflowPlan): boolean {
  return HANGING.has(ticketOf(plan) ?? '');
}

/** The tool as an agent sees it. */
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
  // a repeated run of a node is another action, and the next call of the same node
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
