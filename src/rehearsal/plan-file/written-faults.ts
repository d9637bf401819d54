/** Turns the faults of a written scenario into actions of the world. */
import type { ReportDraft } from '../../errors/report/report.ts';
import { textOrJson, type JsonObject } from '../../errors/support/safe-json.ts';
import { scriptedFailure } from '../../effects/simulator/scripted-failure.ts';
import { createRedactor } from '../../errors/redaction/redact.ts';
import { isReservedKind } from '../../errors/catalog/kinds.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { parseDuration } from '../../workflow/plan/duration.ts';
import type { SimulatedAnswer, SimulatedFailure } from '../../workflow/plan/plan.ts';
import type { PlannedFault } from '../../workflow/rehearsal-plan/plan-schema.ts';
import type { CallFault } from '../inject/call-fault.ts';
import { draftOf } from '../inject/drafts.ts';
import { lostReply } from '../inject/effect-recipes.ts';
import type { RecipeContext } from '../inject/recipe-context.ts';
import { strikeAt } from '../inject/recipe-context.ts';
import { EVERY, type Strike, type StruckCall, type Tries } from '../inject/strike.ts';
import type { Place } from '../places/atlas.ts';
import type { PlayedFaults, RunControl } from '../play/play-scenario.ts';
import type { CommitFault } from '../world/simulated-store.ts';
import { matchesPath } from '../values/world-values.ts';
import { placeNamed } from './check-plan.ts';
import { hasEffect, subjectOf } from './fault-subject.ts';

type CommitFaultOf = NonNullable<PlayedFaults['commitFault']>;
type Watcher = NonNullable<PlayedFaults['onEvent']>;

export function faultsOf(context: RecipeContext, planned: readonly PlannedFault[]): PlayedFaults {
  const strikes: Strike[] = [];
  const callFaults: CallFault[] = [];
  const commits: CommitFaultOf[] = [];
  const watchers: Watcher[] = [];
  for (const fault of planned) {
    const tries = triesOf(fault.try);
    if (fault.store !== undefined) {
      commits.push(storeFault(fault));
      continue;
    }
    const at = fault.at ?? '';
    if (fault.cancel === true) watchers.push(cancelling(context, at, tries));
    else if (fault.kill === 'before_commit' || fault.kill === 'after_commit')
      commits.push(killing(context, at, tries, fault.kill));
    else {
      const place = subjectOf(at).type === 'node' ? placeNamed(context.atlas, at) : undefined;
      if (place !== undefined && !hasEffect(place)) strikes.push(...atNode(context, place, fault));
      else callFaults.push(callFault(context, fault, tries));
    }
  }
  return {
    strikes,
    callFaults,
    ...(commits.length === 0 ? {} : { commitFault: firstOf(commits) }),
    ...(watchers.length === 0 ? {} : { onEvent: allOf(watchers) }),
  };
}

/** `1`, `1-2`, `3-`, `every`. */
function triesOf(text: PlannedFault['try']): Tries {
  if (text === undefined) return { from: 1, to: 1 };
  if (text === 'every') return EVERY;
  const [from = '1', to] = String(text).split('-');
  if (to === undefined) return { from: Number(from), to: Number(from) };
  return { from: Number(from), to: to === '' ? Infinity : Number(to) };
}

function atNode(context: RecipeContext, place: Place, fault: PlannedFault): readonly Strike[] {
  const kind = fault.fail?.kind;
  if (kind === undefined) return [];
  const how = { type: 'node', failure: draftFor(context, place, fault) } as const;
  const strike = strikeAt(place, kind, how, triesOf(fault.try));
  const isPath = fault.at !== undefined && fault.at !== place.name && fault.at !== place.node.name;
  return [{ ...strike, paths: Infinity, ...(isPath ? { path: fault.at ?? '' } : {}) }];
}

function draftFor({ details }: RecipeContext, place: Place, { fail }: PlannedFault): ReportDraft {
  const base = draftOf(place, fail?.kind ?? 'rehearsed.failure', details);
  return {
    ...base,
    ...(fail?.message === undefined ? {} : { message: fail.message }),
    ...(fail?.details === undefined ? {} : { details: fail.details }),
    ...(fail?.retry_after === undefined
      ? {}
      : { provider: { ...base.provider, retryAfterMs: fail.retry_after * 1000 } }),
  };
}

function callFault(context: RecipeContext, fault: PlannedFault, tries: Tries): CallFault {
  return {
    matches: matcher(context, fault.at ?? ''),
    tries,
    ...(fault.fail?.kind === undefined ? {} : { kind: fault.fail.kind }),
    ...(fault.kill === undefined ? {} : { kills: true }),
    call: (request, calm) => {
      const place = context.atlas.of(request.path);
      if (place === undefined) return undefined;
      return request.work.type === 'model'
        ? modelFault(context, place, fault, calm)
        : effectFault(context, place, fault, request);
    },
  };
}

function matcher(context: RecipeContext, at: string): CallFault['matches'] {
  const { type, name } = subjectOf(at);
  switch (type) {
    case 'model':
      return ({ work }) =>
        work.type === 'model' && (work.call.model === name || work.call.model.endsWith(`/${name}`));
    case 'tool':
      return ({ work }) => work.type === 'tool' && work.tool === name;
    case 'mcp':
      return ({ server }) => server?.name === name;
    case 'node':
      return ({ path, work }, place) => {
        // of an agent its model requests
        if (place.node.type === 'agent' && work.type !== 'model') return false;
        return isAt(context, name, path, place);
      };
  }
}

function isAt(
  context: RecipeContext,
  name: string,
  path: string,
  place: Place | undefined,
): boolean {
  const isPath = name.includes('[') || context.atlas.named(name) === undefined;
  if (matchesPath(name, path)) return true;
  return (!isPath && place?.name === name) || (!name.includes('/') && place?.node.name === name);
}

function modelFault(
  context: RecipeContext,
  place: Place,
  fault: PlannedFault,
  calm: SimulatedAnswer | undefined,
): StruckCall | SimulatedAnswer | undefined {
  if (fault.fail !== undefined) return modelFailure(context, place, fault);
  if (fault.delay !== undefined) return { type: 'takes', delayMs: ms(fault.delay) };
  if (fault.hang === true) return { type: 'hang', delayMs: 0 };
  if (fault.lose !== undefined) return calm === undefined ? undefined : { ...calm, isLost: true };
  if (fault.malformed === true) return { type: 'answer', answer: 'off the schema', delayMs: 0 };
  if (fault.stream !== undefined)
    return { type: 'stream', chunks: fault.stream, isCut: fault.cut === true, delayMs: 0 };
  if (fault.partial !== undefined)
    return { type: 'stream', chunks: [textOrJson(fault.partial)], isCut: true, delayMs: 0 };
  return fault.kill === undefined ? undefined : { type: 'hangs' };
}

function modelFailure(context: RecipeContext, place: Place, fault: PlannedFault): SimulatedAnswer {
  const { kind } = fault.fail ?? {};
  if (kind !== undefined && !isReservedKind(kind)) {
    const { message, details } = draftFor(context, place, fault);
    // true: a plan is JSON
    const more = details === undefined ? {} : { details: details as JsonObject };
    return { type: 'answer', answer: { errand_error: true, kind, message, ...more }, delayMs: 0 };
  }
  return { type: 'fail', fail: simulatedFailure(fault), delayMs: 0 };
}

function simulatedFailure({ fail }: PlannedFault): SimulatedFailure {
  if (fail?.kind !== undefined)
    return {
      kind: fail.kind,
      ...(fail.message === undefined ? {} : { message: fail.message }),
      ...(fail.retry_after === undefined ? {} : { retryAfterMs: fail.retry_after * 1000 }),
    };
  const headers = Object.entries(fail?.headers ?? {}).map(([name, value]) => [name, String(value)]);
  return {
    status: fail?.status ?? 500,
    ...(fail?.provider === undefined ? {} : { provider: fail.provider }),
    // true: entries of names and texts
    headers: Object.fromEntries(headers) as Record<string, string>,
    ...(fail?.body === undefined ? {} : { body: fail.body }),
  };
}

function effectFault(
  context: RecipeContext,
  place: Place,
  fault: PlannedFault,
  request: EffectRequest,
): StruckCall | undefined {
  if (fault.fail !== undefined)
    return {
      type: 'fails',
      failure:
        fault.fail.kind === undefined
          ? classifiedFailure(fault, request)
          : draftFor(context, place, fault),
    };
  if (fault.delay !== undefined) return { type: 'takes', delayMs: ms(fault.delay) };
  if (fault.hang === true) return { type: 'hangs' };
  if (fault.lose !== undefined)
    return { type: 'loses its reply', failure: lostReply(place, request) };
  if (fault.malformed === true) return malformed(place, request);
  if (fault.partial !== undefined)
    return { type: 'gives', output: fault.partial, errors: [PARTIAL] };
  return fault.kill === undefined ? undefined : { type: 'hangs' };
}

const PARTIAL: ReportDraft = {
  kind: 'rehearsed.partial',
  message: 'A part of the result is missing in this rehearsal',
};

function malformed({ node }: Place, { work }: EffectRequest): StruckCall {
  const kind = work.type === 'tool' ? 'tool.output_malformed' : 'internal.schema_violation';
  const message = `The result of ${node.name} does not fit its schema in this rehearsal`;
  return { type: 'fails', failure: { kind, message }, part: { rehearsed: 'off the schema' } };
}

/** The failure that a function's own client would have got, classified as any provider's. */
function classifiedFailure(fault: PlannedFault, { ref }: EffectRequest): ReportDraft {
  const model = `${fault.fail?.provider ?? 'rehearsed'}/${ref.target}`;
  const call = { model, messages: [], tools: [], ordinal: 0 };
  const context = {
    signal: new AbortController().signal,
    attempt: 0,
    idempotencyKey: ref.key,
    run: '',
    node: '',
    path: '',
    redactor: createRedactor([]),
    clock: { now: () => 0, after: () => () => undefined },
  };
  return scriptedFailure(simulatedFailure(fault), call, context).failure;
}

function storeFault({ store, from, for: during }: PlannedFault): CommitFaultOf {
  const fromMs = from === undefined ? 0 : ms(from);
  const untilMs = during === undefined ? Infinity : fromMs + ms(during);
  const fault: CommitFault = store === 'slow' ? 'slow' : 'refused';
  return ({ sinceMs }) => (sinceMs >= fromMs && sinceMs < untilMs ? fault : undefined);
}

/** Dies around the commit that has the n-th result of the node. */
function killing(
  context: RecipeContext,
  at: string,
  { from, to }: Tries,
  when: 'before_commit' | 'after_commit',
): CommitFaultOf {
  let results = 0;
  let killed = 0;
  return ({ events }) => {
    // a commit has the events of a run
    const found = events.filter((event) => isResult(context, at, event as RunEvent)).length;
    if (found === 0) return undefined;
    const count = results + 1;
    const isDue = count >= from && count <= to && killed < Math.min(to - from + 1, MOST_KILLS);
    if (!isDue || when === 'after_commit') results += found;
    if (!isDue) return undefined;
    killed++;
    // killed before its commit, it is tried again
    if (when === 'before_commit' && killed >= to - from + 1) results += found;
    return when === 'before_commit' ? 'dies before' : 'dies after';
  };
}

/** A process that is killed every time never ends. */
const MOST_KILLS = 20;

function isResult(context: RecipeContext, at: string, event: RunEvent): boolean {
  const isOfEffect = event.type === 'effect:succeeded' || event.type === 'effect:failed';
  const isOfNode = event.type === 'node:completed' || event.type === 'node:failed';
  if (!isOfEffect && !isOfNode) return false;
  const place = context.atlas.of(event.path);
  if (place === undefined || hasEffect(place) !== isOfEffect) return false;
  return isAt(context, subjectOf(at).name, event.path, place);
}

function cancelling(context: RecipeContext, at: string, tries: Tries): Watcher {
  const counts = new Map<string, number>();
  return (event: RunEvent, run: RunControl) => {
    if (event.type !== 'node:started') return;
    const place = context.atlas.of(event.path);
    if (!isAt(context, at, event.path, place)) return;
    const count = (counts.get(event.path) ?? 0) + 1;
    counts.set(event.path, count);
    if (count >= tries.from && count <= tries.to) run.cancel();
  };
}

function firstOf(faults: readonly CommitFaultOf[]): CommitFaultOf {
  return (commit) => {
    let found: CommitFault | undefined;
    for (const fault of faults) found ??= fault(commit);
    return found;
  };
}

function allOf(watchers: readonly Watcher[]): Watcher {
  return (event, run) => {
    for (const watch of watchers) watch(event, run);
  };
}

function ms(duration: string | number): number {
  return parseDuration(duration) ?? 0;
}
