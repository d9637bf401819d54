/**
 * One whole value from the log of a run: of the run or of a node, the latest or that of an event.
 */
import { forPerson } from '../../errors/report/audiences.ts';
import { isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { RunCore } from '../core.ts';
import type { ValueName } from './shown-values.ts';

export interface WantedValue {
  readonly of: ValueName;
  /** The place of the node. Default: the run, or the event. */
  readonly path?: string | undefined;
  /** The number of the event. Default: the latest. */
  readonly at?: number | undefined;
}

/** Rejects with `run.not_found`, and with `request.not_found` where there is no such value. */
export async function storedValue(
  core: RunCore,
  run: string,
  wanted: WantedValue,
): Promise<JsonValue> {
  const engine = await core.engine();
  await engine.summary(run);
  const value = await valueIn(engine.history(run), wanted);
  if (value !== undefined) return value;
  const { of, path, at } = wanted;
  throw new ErrandError({
    kind: 'request.not_found',
    message: `The run has no ${of}${path === undefined ? '' : ` of ${path.slice(0, 200)}`}${at === undefined ? '' : ` at event ${at}`}`,
    action: {
      kind: 'change_input',
      detail: `\`GET ${core.base}/v1/runs/${run}\`, or the tool get_run without a path, lists the places of its nodes.`,
    },
  });
}

/** Reads the log once; undefined where there is no such value. */
async function valueIn(
  events: AsyncIterable<RunEvent>,
  wanted: WantedValue,
): Promise<JsonValue | undefined> {
  let found: JsonValue | undefined;
  for await (const event of events) {
    if (wanted.at !== undefined && event.seq !== wanted.at) continue;
    const path = 'path' in event ? event.path : undefined;
    // an event has its own number, so its path need not be given too
    const isNamed = wanted.at !== undefined && wanted.path === undefined;
    if (!isNamed && path !== wanted.path) continue;
    const value = valueOf(event, wanted);
    if (value === undefined) continue;
    found = wanted.of === 'input' && wanted.at === undefined ? joined(found, value, event) : value;
  }
  return found;
}

/** A resume may replace some of the inputs. */
function joined(before: JsonValue | undefined, value: JsonValue, event: RunEvent): JsonValue {
  if (event.type !== 'run:resumed' || !isPlainObject(before) || !isPlainObject(value)) return value;
  return { ...before, ...value };
}

function valueOf(event: RunEvent, { of, at }: WantedValue): JsonValue | undefined {
  switch (of) {
    case 'input':
      return 'input' in event ? event.input : undefined;
    case 'output':
      return outputOf(event, at !== undefined);
    case 'prompt':
      if (event.type === 'gate:opened') return event.prompt;
      return event.type === 'effect:requested' ? asJson(event.prompt) : undefined;
    case 'error':
      return 'error' in event && event.error !== undefined
        ? asJson(forPerson(event.error))
        : undefined;
    case 'answer':
      return event.type === 'gate:answered' ? event.value : undefined;
  }
}

/** The output of a node is not that of its calls; an event that is named gives its own value. */
function outputOf(event: RunEvent, isNamed: boolean): JsonValue | undefined {
  if (!('output' in event) || event.output === undefined) return undefined;
  const isOfCall = event.type === 'effect:succeeded' || event.type === 'effect:failed';
  return isOfCall && !isNamed ? undefined : event.output;
}

/** Stored as JSON, and typed more exactly than that. */
function asJson(value: object | undefined): JsonValue | undefined {
  return value as JsonValue | undefined;
}
