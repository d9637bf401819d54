/**
 * A failure from the script as the report of a real one: an answer with a status goes through extract
 * and classify, and so does what a provider would answer with for a kind. What only the kind says, the
 * catalog completes.
 */
import type { ReportDraft } from '../../errors/report.ts';
import type { ModelCall } from '../../machine/model-call.ts';
import type { ProviderFailure, TransportFault } from '../../providers/envelope.ts';
import { extractFailure } from '../../providers/extract/extract.ts';
import { reportFromFailure } from '../../providers/report-from.ts';
import type { SimulatedFailure } from '../../workflow/model.ts';
import { MACHINE_CLOCK } from '../clock.ts';
import { toDraft, type EffectContext, type EffectFailure } from '../effect.ts';
import { stopped } from '../model/failure.ts';
import type { Stop } from '../model/watch.ts';
import { wireFailure } from './wire-failure.ts';

/** What is below HTTP, as Node's own client meets it. */
const FAULTS: Readonly<Record<string, TransportFault>> = {
  'provider.network': { name: 'Error', message: 'socket hang up', code: 'ECONNRESET' },
  'provider.stream_interrupted': { name: 'Error', message: 'aborted', code: 'ECONNRESET' },
};

type KindOfFailure = Extract<SimulatedFailure, { readonly kind: string }>;

export function scriptedFailure(
  fail: SimulatedFailure,
  call: ModelCall,
  context: EffectContext,
): EffectFailure {
  if ('status' in fail) {
    const { status, headers, body = null, provider = call.model } = fail;
    const answer = { provider, status, headers, body, transport: null };
    return { ok: false, failure: classified(answer, call, context), thrown: answer };
  }
  const { kind, message, retryAfterMs } = fail;
  const asProvider = likeAProvider(fail, call, context);
  const provider = {
    name: call.model,
    model: nameOf(call.model),
    ...asProvider?.provider,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  const said = message ?? asProvider?.message ?? `The script of ${call.model} fails with ${kind}`;
  return { ok: false, failure: { ...asProvider, kind, message: said, provider } };
}

/** The stream broke; before its first content nothing was lost. */
export function cutFailure(
  call: ModelCall,
  delivered: boolean,
  context: EffectContext,
): EffectFailure {
  const transport = FAULTS[delivered ? 'provider.stream_interrupted' : 'provider.network'];
  const begun = delivered ? { stream: true, status: 200 } : {};
  const answer = { provider: call.model, ...begun, transport };
  return { ok: false, failure: classified(answer, call, context, delivered), thrown: answer };
}

export type LimitStop = Extract<Stop, { readonly by: 'limit' | 'node' }>;

/** Nothing came within the time that there was, as of a real model. */
export function hangFailure(
  stop: LimitStop,
  { model }: ModelCall,
  context: EffectContext,
): EffectFailure {
  const heard = { isBegun: false, isDelivered: false };
  const asked = { provider: model, model: nameOf(model) };
  return { ok: false, ...stopped(stop, heard, { asked, context }) };
}

/** With the scope, the category and the receipt that the same failure has elsewhere. */
function likeAProvider(
  { kind, retryAfterMs }: KindOfFailure,
  call: ModelCall,
  context: EffectContext,
): ReportDraft | undefined {
  const answer = wireFailure(kind, 'openai', { retryAfterMs });
  const transport = FAULTS[kind];
  if (answer === undefined && transport === undefined) return undefined;
  const stream = kind === 'provider.stream_interrupted' ? { stream: true } : {};
  const failure = { provider: call.model, ...(answer ?? { transport }), ...stream };
  const draft = classified(failure, call, context);
  return draft.kind === kind ? draft : undefined;
}

function classified(
  answer: object,
  call: ModelCall,
  context: EffectContext,
  delivered?: boolean,
): ReportDraft {
  const model = nameOf(call.model);
  const failure: ProviderFailure = extractFailure(answer, { model, delivered }) ?? {
    provider: call.model,
    model,
    operation: 'generate',
    headers: {},
    phase: 'headers',
    delivered: false,
    source: 'simulator',
  };
  const { redactor } = context;
  const at = new Date((context.clock ?? MACHINE_CLOCK).now()).toISOString();
  const stamp = { id: `${context.idempotencyKey}.${context.attempt}`, at };
  return toDraft(reportFromFailure(failure, { stamp, redactor }));
}

function nameOf(model: string): string {
  return model.slice(model.indexOf('/') + 1);
}
