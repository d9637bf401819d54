/**
 * The effects that were really executed in the world, and how each call ends: as the options say,
 * or drawn from the seed.
 */
import type { EffectContext } from '../../effects/effect-port.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { Director } from './director.ts';
import type { Execution } from './execution-record.ts';
import { drawFate, exampleOutput, type Fate, type WhenStopped } from './fate.ts';
import type { FaultPlan } from './faults.ts';
import type { Speaker } from './model-fate.ts';
import type { Random, SeedWord } from './random.ts';
import { away, drawServerTrouble } from './server-fate.ts';
import type { Begun } from './simulated-effects.ts';

export interface EffectSettings {
  readonly plan: WorkflowPlan;
  readonly faults: FaultPlan;
  /** Results of effects that succeed, by path or by name of the node. */
  readonly outputs: Readonly<Record<string, JsonValue>>;
  /** Failures of effects, one call after the other; null succeeds. */
  readonly fails: Readonly<Record<string, readonly (ReportDraft | null)[]>>;
  /** Effects whose first call does not end by itself, by path, and what they do when stopped. */
  readonly hangs: Readonly<Record<string, WhenStopped>>;
  /** Replies of models that have no script. */
  readonly speaker: Speaker | undefined;
  /** Decides instead of the seed. */
  readonly director?: Director | undefined;
}

export interface ExecutionsParts {
  readonly settings: EffectSettings;
  readonly now: () => number;
  readonly random: (...words: readonly SeedWord[]) => Random;
  readonly storedSeq: (run: string) => number;
  /** How many results were stored, by key of the effect or by path. */
  readonly storedResults: (run: string, name: string) => number;
}

/**
 * Longer than anything that runs beside it, and shorter than the time after which a process is
 * killed.
 */
const LONG_MS = 600_000;

export class Executions {
  readonly all: Execution[] = [];
  readonly #parts: ExecutionsParts;
  /** By name: when servers of tools are back. */
  readonly #awayUntilMs = new Map<string, number>();

  constructor(parts: ExecutionsParts) {
    this.#parts = parts;
  }

  begin(request: EffectRequest, { run, attempt }: EffectContext, process: number): Begun {
    const { ref, path } = request;
    const stored = this.#parts.storedResults(run, ref.key);
    const before = this.all.filter(({ effect }) => effect.key === ref.key).length;
    const { director } = this.#parts.settings;
    const fate = director?.fateOf(request) ?? this.#hangIfAsked(path, this.#drawFate(request, run));
    const execution: Execution = {
      number: this.all.length + 1,
      process,
      run,
      effect: ref,
      work: request.work,
      node: request.node.name,
      path,
      attempt,
      isIdempotent: request.isIdempotent,
      isRechecked: request.recorded !== undefined,
      afterSeq: this.#parts.storedSeq(run),
      startedAtMs: this.#parts.now(),
      isAborted: false,
    };
    this.all.push(execution);
    // an effect whose process was killed because it hung does not hang for ever
    const isOver = director === undefined && fate.type === 'hangs' && before > stored;
    const toolMs = this.#toolMs(request);
    return { execution, fate: isOver ? succeeding(request, fate) : fate, toolMs };
  }

  /** Hangs the first call; later ones take no time. */
  #hangIfAsked(path: string, fate: Fate): Fate {
    const hangs = this.#parts.settings.hangs[path];
    if (hangs === undefined) return fate;
    const isFirst = !this.all.some((execution) => execution.path === path);
    return isFirst ? hanging(fate, hangs) : { ...fate, latencyMs: 0 };
  }

  /** Does not support two files that mean different tools by one name. */
  #toolMs({ work }: EffectRequest): number {
    if (work.type !== 'tool') return Infinity;
    const described = Object.values(this.#parts.settings.plan.tools ?? {}).find((tools) =>
      Object.hasOwn(tools, work.tool),
    );
    return described?.[work.tool]?.timeoutMs ?? Infinity;
  }

  #drawFate(request: EffectRequest, run: string): Fate {
    const { storedResults, settings } = this.#parts;
    const { plan, faults, outputs, fails, speaker } = settings;
    const { path, node, ref } = request;
    const random = this.#parts.random('fate', ref.key, storedResults(run, ref.key));
    const given = outputs[path] ?? outputs[node.name];
    const output = given ?? exampleOutput(request, random);
    const replies: Speaker | undefined =
      given === undefined ? speaker : () => ({ type: 'answer', answer: given, delayMs: 0 });
    const drawn = drawFate(request, { plan, faults, output, speaker: replies }, random);
    const fate = this.#atServer(request, drawn, random);
    const failures = fails[path] ?? fails[node.name];
    if (failures === undefined) return fate;
    const failure = failures[Math.min(storedResults(run, path), failures.length - 1)] ?? null;
    if (failure !== null) return { ...fate, type: 'fails', failure };
    const { work } = request;
    const reply =
      work.type === 'model' ? (work.call.simulated ?? replies?.(work.call, random)) : undefined;
    return succeeding(request, fate, reply);
  }

  /** Lets the tool's server fail the call, if it has one. */
  #atServer(request: EffectRequest, fate: Fate, random: Random): Fate {
    const server = request.server?.name;
    const { serverFails } = this.#parts.settings.faults;
    if (server === undefined || serverFails === 0) return fate;
    const nowMs = this.#parts.now();
    if (nowMs < (this.#awayUntilMs.get(server) ?? 0)) return { ...fate, ...away(request) };
    if (!random.chance(serverFails)) return fate;
    const { fate: trouble, awayMs = 0 } = drawServerTrouble(request, random);
    this.#awayUntilMs.set(server, nowMs + awayMs);
    return { ...fate, ...trouble };
  }
}

/** The same fate without a failure. */
function succeeding(
  { work }: EffectRequest,
  fate: Fate,
  answer = work.type === 'model' ? work.call.simulated : undefined,
): Fate {
  return work.type === 'model'
    ? { ...fate, type: 'speaks', answer }
    : { ...fate, type: 'succeeds' };
}

/** The same fate, but it does not end before it is stopped. */
function hanging(fate: Fate, whenStopped: WhenStopped): Fate {
  switch (whenStopped) {
    case 'finishes':
      return { ...fate, latencyMs: LONG_MS, isStubborn: true };
    case 'gives up':
      return { ...fate, type: 'hangs', stopMs: 0, isDeaf: false };
    case 'ignores it':
      return { ...fate, type: 'hangs', isDeaf: true };
  }
}
