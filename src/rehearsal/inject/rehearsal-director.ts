/**
 * Directs one rehearsed run: everything works at once and returns the world's values, unless a
 * strike says otherwise. It outlives the processes of the run, so that a resumed run meets the same
 * world.
 */
import type { ReportDraft } from '../../errors/report/report.ts';
import { textOrJson, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { latestWords, type ModelCall } from '../../machine/conversation/model-message.ts';
import { toolCalled } from '../../machine/conversation/tool-names.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { AttemptAt, Interference } from '../../machine/ports/interference-port.ts';
import type { SimulatedAnswer } from '../../workflow/plan/plan.ts';
import type { Atlas, Place } from '../places/atlas.ts';
import type { Assignment } from '../steer/field-table.ts';
import { madeUp } from '../values/made-up.ts';
import type { WorldValues } from '../values/world-values.ts';
import type { Commit, Director } from '../world/director.ts';
import type { Evaluate, Fate } from '../world/fate.ts';
import type { CommitFault } from '../world/simulated-store.ts';
import { CallFaults, type CallFault } from './call-fault.ts';
import type { How, Strike, StruckCall } from './strike.ts';
import { enclosingPaths, TryCount } from './try-count.ts';

/** The place where a planned strike took effect. */
export interface Landed extends Pick<Strike, 'place' | 'kind' | 'within'> {
  readonly path: string;
  readonly ordinal: number;
}

export interface DirectorParts {
  readonly atlas: Atlas;
  readonly values: WorldValues;
  readonly assignment: Assignment;
  readonly strikes: readonly Strike[];
  /** Evaluates a transform, as a run does. */
  readonly evaluate: (request: EffectRequest) => Evaluate;
  /** Faults of the store. */
  readonly commitFault?: NonNullable<Director['commitFault']>;
  readonly callFaults?: readonly CallFault[];
  /** Kills the process that makes the present call. */
  readonly killSoon?: () => void;
}

const AT_ONCE = { latencyMs: 0, stopMs: 0, isDeaf: false, isStubborn: false, output: null };

export class RehearsalDirector implements Director {
  readonly #parts: DirectorParts;
  readonly #tries = new TryCount();
  /** The paths of each place, in the order in which they begin. */
  readonly #paths = new Map<Place, string[]>();
  readonly #callFaults: CallFaults;
  /** The strikes that took effect, and where. */
  readonly landed: Landed[] = [];

  constructor(parts: DirectorParts) {
    this.#parts = parts;
    this.#callFaults = new CallFaults(parts.callFaults ?? []);
  }

  /** How often the node at a path has begun. */
  visitOf(path: string): number {
    return this.#tries.of(path).visit;
  }

  commitFault(commit: Commit): CommitFault | undefined {
    return this.#parts.commitFault?.(commit);
  }

  /** After a death: only what is stored has happened. */
  recall(events: readonly RunEvent[]): void {
    this.#tries.rebuild(events);
  }

  begins(at: AttemptAt): Interference | undefined {
    const place = this.#parts.atlas.of(at.path);
    if (place === undefined) return undefined;
    const paths = this.#paths.get(place) ?? [];
    this.#paths.set(place, paths);
    if (!paths.includes(at.path)) paths.push(at.path);
    this.#tries.begin(at);
    const strike = this.#strikeAt(
      at.path,
      ({ how }) => how.type === 'node' || how.type === 'stall',
    );
    if (strike?.how.type === 'stall') return { type: 'stalls' };
    if (strike?.how.type !== 'node') return undefined;
    const { failure, output } = strike.how;
    return { type: 'fails', failure, ...(output === undefined ? {} : { output }) };
  }

  breaksAssertion({ path }: AttemptAt, index: number): boolean {
    return (
      this.#strikeAt(path, ({ how }) => how.type === 'assertion' && how.index === index) !==
      undefined
    );
  }

  /** Whether nobody answers at this path now. */
  isSilent(path: string): boolean {
    return this.#strikeAt(path, ({ how }) => how.type === 'silence') !== undefined;
  }

  /** Whether the failure at this path has to leave an enclosing node. */
  isUntilOut(path: string): boolean {
    return this.#strikeAt(path, ({ isUntilOut }) => isUntilOut === true) !== undefined;
  }

  fateOf(request: EffectRequest): Fate {
    const { path, work } = request;
    const place = this.#parts.atlas.of(path);
    if (place === undefined) return { ...AT_ONCE, type: 'succeeds' };
    const fault = this.#callFaults.due(request, place);
    if (fault !== undefined) return this.#faultFate(place, request, fault);
    if (work.type === 'model') return this.#modelFate(place, path, work.call);
    const isOfAgent = place.node.type === 'agent';
    const strike = this.#strikeAt(path, ({ how }) =>
      isOfAgent
        ? how.type === 'tool' && work.type === 'tool' && how.tool === work.tool
        : how.type === 'effect',
    );
    const struck =
      strike !== undefined && 'call' in strike.how ? strike.how.call(request) : undefined;
    const calm = this.#calmFate(place, request);
    return struck === undefined ? calm : struckFate(struck, calm);
  }

  /** A fault of a plan, whatever else is due. */
  #faultFate(place: Place, request: EffectRequest, fault: CallFault): Fate {
    const { path, work } = request;
    const { ordinal } = this.#tries.of(path);
    const { kind } = fault;
    this.landed.push({ place, path, ordinal, kind, within: [] });
    if (fault.kills === true) this.#parts.killSoon?.();
    const answer = work.type === 'model' ? this.#reply(place, path, work.call) : undefined;
    const calm: Fate =
      answer === undefined
        ? this.#calmFate(place, request)
        : { ...AT_ONCE, type: 'speaks', answer };
    const call = fault.call(request, answer);
    if (call === undefined) return calm;
    return isStruck(call)
      ? struckFate(call, calm)
      : { ...AT_ONCE, isFirst: true, type: 'speaks', answer: call };
  }

  #calmFate(place: Place, request: EffectRequest): Fate {
    const { path, work } = request;
    const { values, assignment, evaluate } = this.#parts;
    if (place.node.type === 'agent') {
      const schema = work.type === 'tool' ? this.#toolSchema(place, work.tool) : undefined;
      return { ...AT_ONCE, type: 'succeeds', output: schema === undefined ? {} : madeUp(schema) };
    }
    if (work.type === 'transform' && !values.isGiven(place, path))
      return { ...AT_ONCE, type: 'evaluates', evaluate: evaluate(request) };
    const { visit } = this.#tries.of(path);
    const output = values.output({ place, path, visit, assignment });
    return { ...AT_ONCE, type: 'succeeds', output };
  }

  #toolSchema({ file }: Place, tool: string): JsonObject | undefined {
    const key = file.caller === undefined ? '' : file.plan.file;
    return this.#parts.atlas.plan.tools?.[key]?.[tool]?.outputSchema;
  }

  #modelFate(place: Place, path: string, call: ModelCall): Fate {
    const strike = this.#strikeAt(path, ({ how }) => how.type === 'model' || how.type === 'tool');
    const calm: Fate = { ...AT_ONCE, type: 'speaks', answer: this.#reply(place, path, call) };
    if (strike === undefined) return calm;
    const { how } = strike;
    const number = 1 + call.messages.filter(({ role }) => role === 'assistant').length;
    if (how.type === 'tool') {
      const answer = number === 1 ? this.#toolCall(place, how, call) : undefined;
      return answer === undefined ? calm : { ...calm, type: 'speaks', answer };
    }
    const reply = how.type === 'model' ? how.reply(call, number) : undefined;
    if (reply === undefined) return calm;
    return isStruck(reply)
      ? struckFate(reply, calm)
      : { ...AT_ONCE, isFirst: true, type: 'speaks', answer: reply };
  }

  #toolCall(
    place: Place,
    { tool }: Extract<How, { type: 'tool' }>,
    call: ModelCall,
  ): SimulatedAnswer | undefined {
    const { plan } = this.#parts.atlas;
    const key = place.file.caller === undefined ? '' : place.file.plan.file;
    const tools = plan.tools?.[key] ?? {};
    const offered = call.tools.find(({ name }) => toolCalled(tools, name) === tool);
    if (offered === undefined) return undefined;
    // true: the arguments of a tool are an object by its schema
    const made = madeUp(offered.inputSchema) as JsonObject;
    return { type: 'tool_calls', delayMs: 0, calls: [{ name: offered.name, arguments: made }] };
  }

  #reply(place: Place, path: string, call: ModelCall): SimulatedAnswer {
    const { node } = place;
    if (node.type === 'supervisor') {
      const rounds = call.messages.filter(({ role }) => role === 'assistant').length;
      const next = node.manages[rounds] ?? 'done';
      return { type: 'answer', answer: { next, reason: 'rehearsed' }, delayMs: 0 };
    }
    if (call.judges === true) return { type: 'answer', answer: { passed: true }, delayMs: 0 };
    const { values, assignment } = this.#parts;
    const { visit } = this.#tries.of(path);
    const of = {
      place,
      path,
      visit,
      assignment,
      model: call.model,
      prompt: latestWords(call.messages),
    };
    const output = values.output(of);
    const usage = values.usageOf(of);
    return {
      type: 'answer',
      answer: values.schemaOf(place) === undefined ? textOf(output) : JSON.stringify(output),
      delayMs: 0,
      ...(usage === undefined ? {} : { usage }),
    };
  }

  /** The strike that is due at this path in its present try. */
  #strikeAt(path: string, fits: (strike: Strike) => boolean): Strike | undefined {
    const place = this.#parts.atlas.of(path);
    const { ordinal } = this.#tries.of(path);
    const strike = this.#parts.strikes.find(
      (each) => each.place === place && fits(each) && this.#isDue(each, path),
    );
    if (strike !== undefined) this.landed.push({ ...strike, path, ordinal });
    return strike;
  }

  #isDue(strike: Strike, path: string): boolean {
    const { tries, paths, within } = strike;
    const { ordinal } = this.#tries.of(path);
    if (ordinal < tries.from || ordinal > tries.to) return false;
    if (strike.path !== undefined && strike.path !== path) return false;
    const around = enclosingPaths(path);
    for (const { place, tries: outer, paths: most } of within) {
      const at = around.find((each) => this.#parts.atlas.of(each) === place);
      const begun = at === undefined ? -1 : (this.#paths.get(place)?.indexOf(at) ?? -1);
      if (at === undefined || begun < 0 || begun >= most) return false;
      const now = this.#tries.of(at).ordinal;
      if (now < outer.from || now > outer.to) return false;
    }
    const index = this.#paths.get(strike.place)?.indexOf(path) ?? 0;
    return index < paths;
  }
}

function isStruck(reply: SimulatedAnswer | StruckCall): reply is StruckCall {
  switch (reply.type) {
    case 'fails':
    case 'loses its reply':
    case 'hangs':
    case 'throws':
    case 'gives':
    case 'takes':
      return true;
    default:
      return false;
  }
}

function struckFate(struck: StruckCall, calm: Fate): Fate {
  const first = { ...AT_ONCE, isFirst: true };
  switch (struck.type) {
    case 'fails':
      return { ...first, type: 'fails', failure: struck.failure, ...partOf(struck) };
    case 'loses its reply':
      return { ...first, type: 'loses its reply', failure: struck.failure };
    case 'hangs':
      return { ...first, type: 'hangs' };
    case 'throws':
      return { ...first, type: 'throws' };
    case 'gives':
      return { ...first, type: 'succeeds', output: struck.output, ...errorsOf(struck) };
    case 'takes':
      return { ...calm, latencyMs: struck.delayMs };
  }
}

function partOf({ part }: { readonly part?: JsonValue }): { readonly part?: JsonValue } {
  return part === undefined ? {} : { part };
}

function errorsOf({ errors }: { readonly errors?: readonly ReportDraft[] }): {
  readonly errors?: readonly ReportDraft[];
} {
  return errors === undefined ? {} : { errors };
}

function textOf(output: JsonValue): string {
  const whole =
    typeof output === 'object' && output !== null && 'result' in output ? output['result'] : output;
  return textOrJson(whole);
}
