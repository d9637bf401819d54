/** A run in memory for tests: effects end at once, time passes only by waiting. */
import type { JsonObject, JsonValue } from '../errors/support/safe-json.ts';
import type { ReportDraft } from '../errors/report/report.ts';
import { memoryFiles } from '../workflow/yaml/files.cases.ts';
import { loadWorkflow } from '../workflow/yaml/load-workflow.ts';
import { pendingRequest, type EffectRequest } from './decide/effect-request.ts';
import type { EventBody } from './state/events.ts';
import { failureAt } from './decide/failure-reports.ts';
import { scopeOf } from './state/plan-lookup.ts';
import { newRunState, type RunState } from './state/state.ts';
import { step } from './decide/step.ts';
import { stopsOf } from './stops.cases.ts';
import { nextTimerMs } from './state/timer-heap.ts';

export type Effects = (request: EffectRequest) => JsonValue | { readonly fail: ReportDraft };

export interface Rehearsal {
  readonly state: RunState;
  readonly events: readonly EventBody[];
  /** `type path` of each event, or its request. */
  readonly story: readonly string[];
}

export interface RehearsalOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly input?: JsonObject;
  readonly effects?: Effects;
  /** Answers to gates, by path. */
  readonly answers?: Readonly<Record<string, JsonValue>>;
}

/** A file whose first node is `a`. */
export function workflow(nodes: string, header = ''): string {
  return `workflow:\n  name: t\n  entry_point: a\n${header}nodes:\n${nodes}`;
}

/** Fails so many times, then succeeds. */
export function failing(kind: string, times = Infinity): Effects {
  return (request) =>
    request.attempt < times
      ? { fail: { kind, message: `${kind} at ${request.path}` } }
      : { n: request.attempt };
}

const START_MS = Date.parse('2026-03-01T12:00:00.000Z');

export function rehearse(text: string, options: RehearsalOptions = {}): Rehearsal {
  const loaded = loadWorkflow('main.yaml', memoryFiles({ ...options.files, 'main.yaml': text }));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics, null, 2));
  const state = newRunState('run_1', loaded.plan);
  const events: EventBody[] = [];
  let nowMs = START_MS;
  const take = (happened: readonly EventBody[]): void => {
    events.push(...step(state, happened, nowMs));
    const stops = stopsOf(state);
    if (stops.length > 0) take(stops);
  };

  take([{ type: 'run:started', workflow: loaded.plan.name, input: options.input ?? {} }]);
  for (let turn = 0; turn < 10_000 && state.status === 'running'; turn++) {
    const [pending] = state.effects.values();
    if (pending !== undefined) {
      take([answer(state, pending.scope, options.effects ?? (() => ({})))]);
      continue;
    }
    const [gate] = state.gates.keys();
    const value = gate === undefined ? undefined : options.answers?.[gate];
    if (gate !== undefined && value !== undefined) {
      const { node, path } = visitAt(state, gate);
      take([{ type: 'gate:answered', node, path, gate, value, by: 'test' }]);
      continue;
    }
    const wakeMs = nextTimerMs(state.timers);
    if (wakeMs === undefined) break;
    nowMs = Math.max(nowMs, wakeMs);
    take([]);
  }
  return { state, events, story: events.map(briefly) };
}

function answer(state: RunState, id: string, effects: Effects): EventBody {
  const scope = scopeOf(state, id);
  const [pending] = state.effects.values();
  const request = pending === undefined ? undefined : pendingRequest(state, pending);
  if (request === undefined) throw new Error(`${id} asks for nothing`);
  const where = { node: request.node.name, path: request.path, effect: request.ref };
  const result = effects(request);
  const failure =
    typeof result === 'object' && result !== null && 'fail' in result ? result.fail : undefined;
  if (failure === undefined)
    return { type: 'effect:succeeded', ...where, output: result as JsonValue };
  return {
    type: 'effect:failed',
    ...where,
    error: failureAt(state, scope, request.node.name, failure as ReportDraft),
  };
}

function visitAt(state: RunState, path: string): { node: string; path: string } {
  const scope = [...state.scopes.values()].find(({ visit }) => visit?.path === path);
  return { node: scope?.visit?.node ?? '', path };
}

function briefly(event: EventBody): string {
  const path = 'path' in event ? ` ${event.path}` : '';
  switch (event.type) {
    case 'route:taken':
      return `route${path} ${event.move}${event.to === undefined ? '' : ` ${event.to}`} (${event.bucket})`;
    case 'node:failed':
    case 'effect:failed':
    case 'run:failed':
      return `${event.type}${path} ${event.error.kind}`;
    case 'node:retrying':
      return `${event.type}${path} #${event.attempt} in ${event.delayMs}`;
    default:
      return `${event.type}${path}`;
  }
}
