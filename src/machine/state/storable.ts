/**
 * Storable events: without the values of secrets. Every event of a run passes here before the state
 * takes it, so that the state, the log and all listeners have the same values, and decisions depend
 * on those only. Effects are made from the plan, which has the secrets.
 *
 * Identifiers (names, paths, keys, gates) stay unchanged, and so does everything that was taken from
 * the state, which contains no secrets. All other fields of an event are data.
 */
import { adoptReport } from '../../errors/report/build.ts';
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { withoutValues } from '../../errors/report/without-values.ts';
import type { EffectRef, EventBody } from './events.ts';
import type { RunState } from './state.ts';
import type { Prompt } from '../conversation/conversation.ts';

/** Returns the same object when it contains no secret. */
export function storableEvent(state: RunState, event: EventBody): EventBody {
  const redactor = activeRedactor(state);
  if (redactor === undefined) return event;
  let clean: Record<string, unknown> | undefined;
  for (const [field, value] of Object.entries(event) as [string, unknown][]) {
    if (UNREDACTED_FIELDS.has(field) || typeof value === 'boolean' || value === undefined) continue;
    const stored = fieldWithout(field, value, redactor);
    if (stored === value) continue;
    clean ??= { ...event };
    clean[field] = stored;
  }
  // the same fields, each of the same form
  return clean === undefined ? event : (clean as unknown as EventBody);
}

/** Returns the same list when there are no secrets. */
export function storableEvents(
  state: RunState,
  events: readonly EventBody[],
): readonly EventBody[] {
  return activeRedactor(state) === undefined
    ? events
    : events.map((event) => storableEvent(state, event));
}

/** For values that enter the state without an event, or that names are made of. */
export function storableValue(state: RunState, value: JsonValue): JsonValue {
  const redactor = activeRedactor(state);
  return redactor === undefined ? value : valueWithout(value, redactor);
}

/**
 * For a schema or a description of the plan: removes secrets from its texts, and leaves its keys
 * unchanged.
 */
export function storableForm<T extends object>(state: RunState, form: T): T {
  const redactor = activeRedactor(state);
  return redactor === undefined ? form : withoutValues(form, redactor, { keys: 'as they are' });
}

/** Runs before the key of the request is made, so that the same prompt always gives the same key. */
export function storablePrompt(state: RunState, prompt: Prompt): Prompt {
  const redactor = activeRedactor(state);
  if (redactor === undefined) return prompt;
  const { text, system, images } = prompt;
  return {
    ...prompt,
    text: redactor.values(text),
    ...(system === undefined ? {} : { system: redactor.values(system) }),
    ...(images === undefined
      ? {}
      : {
          images: images.map((image) =>
            image.url === undefined ? image : { ...image, url: redactor.values(image.url) },
          ),
        }),
  };
}

/** Names, numbers and times; values from the state; and plans, which are stored without secrets. */
const UNREDACTED_FIELDS: ReadonlySet<string> = new Set(
  `type node path workflow attempt move to rule bucket kind until delayMs gate gates deadline budget
   holder limit spent unit from drift bound plan idleMs now reserves usage costUsdMicros waiting
   inDoubt grant status target members`.split(/\s+/),
);

function activeRedactor({ redactor }: RunState): Redactor | undefined {
  return redactor?.isEmpty?.() === true ? undefined : redactor;
}

/** A field has the same type in every event that has it, so its name says what the value is. */
function fieldWithout(field: string, value: unknown, redactor: Redactor): unknown {
  switch (field) {
    case 'error':
      return reportWithout(value as ErrorReport, redactor);
    case 'errors':
      return reportsWithout(value as readonly ErrorReport[], redactor);
    case 'effect':
      return refWithout(value as EffectRef, redactor);
    case 'prompt':
      // the prompt of a conversation is already storable
      return typeof value === 'string' ? redactor.values(value) : value;
    default:
      return valueWithout(value as JsonValue, redactor);
  }
}

function reportWithout(report: ErrorReport, redactor: Redactor): ErrorReport {
  return adoptReport(report, { stamp: report, redactor });
}

function reportsWithout(
  reports: readonly ErrorReport[],
  redactor: Redactor,
): readonly ErrorReport[] {
  const clean = reports.map((report) => reportWithout(report, redactor));
  return clean.every((report, at) => report === reports[at]) ? reports : clean;
}

/** A command is made of texts; the names of models, tools and functions are identifiers. */
function refWithout(effect: EffectRef, redactor: Redactor): EffectRef {
  if (effect.type !== 'script') return effect;
  const target = redactor.values(effect.target);
  return target === effect.target ? effect : { ...effect, target };
}

function valueWithout(value: JsonValue, redactor: Redactor): JsonValue {
  if (typeof value === 'string') return redactor.values(value);
  const whole: JsonObject = { value };
  return withoutValues(whole, redactor)['value'] ?? null;
}
