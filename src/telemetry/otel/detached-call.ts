/** One call inside a span of its own, if another process watches the leg: a worker's activity. */
import type { EffectResult } from '../../effects/effect-port.ts';
import type { DetachedCall, MakeCall } from '../../engine/run/telemetry-port.ts';
import { buildReport } from '../../errors/report/build.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import { ambientStamp } from '../../errors/thrown/stamp.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { SCOPE } from '../names.ts';
import { VERSION } from '../../engine/version.ts';
import { observedAttributes, type CallEnd } from '../spans/call-attributes.ts';
import { requestContent, resultContent } from '../spans/call-content.ts';
import { CallSpans } from '../spans/call-spans.ts';
import { OpenSpans } from '../spans/open-span.ts';
import { carrierOf, remoteContext } from './carrier-context.ts';
import { LiveSpans, type LiveSpan } from './live-spans.ts';
import type { OtelApi } from './otel-api.ts';

interface Watching {
  readonly api: OtelApi;
  readonly now: () => number;
  readonly onFault: (thrown: unknown) => void;
}

interface DetachedRequest extends DetachedCall {
  readonly request: EffectRequest;
  readonly redactor: Redactor;
  readonly hasContent: boolean;
}

export async function aroundDetached(
  { api, now, onFault }: Watching,
  { run, carrier, request, redactor, hasContent }: DetachedRequest,
  make: MakeCall,
): Promise<EffectResult> {
  const caller = remoteContext(api, carrier ?? {}, api.ROOT_CONTEXT);
  const sink = new LiveSpans(api, api.trace.getTracer(SCOPE, VERSION), { caller });
  const open = new OpenSpans<LiveSpan>(sink);
  open.run = run;
  const calls = new CallSpans(open);
  const { ref, path, attempt, workflow, node } = request;
  const safely = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (thrown) {
      onFault(thrown);
      return undefined;
    }
  };
  const live = safely(() => {
    calls.requested({ effect: ref, path, attempt, seq: 0 }, now());
    const parent = { span: undefined, workflow };
    const span = calls.begin(ref.key, request, { parent, startMs: now() });
    if (hasContent) calls.set(ref.key, requestContent(request, redactor));
    return span;
  });
  const context = live === undefined ? caller : sink.contextOf(live);
  const result = await api.context.with(context, () =>
    make({
      trace: safely(() => carrierOf(api, context)),
      observe: (seen) => safely(() => calls.set(ref.key, observedAttributes(seen))),
    }),
  );
  safely(() => {
    if (hasContent) calls.set(ref.key, resultContent(request, result, redactor));
    const at = { run, seq: 0, at: new Date(now()).toISOString(), node: node.name, path };
    calls.ended(endOf(request, result, at, redactor), now());
  });
  return result;
}

type Where = Pick<RunEvent, 'run' | 'seq' | 'at'> & {
  readonly node: string;
  readonly path: string;
};

/** The end as the event will show it, without the cost, which the run knows. */
function endOf(
  { ref }: EffectRequest,
  result: EffectResult,
  where: Where,
  redactor: Redactor,
): CallEnd {
  const used = result.usage === undefined ? {} : { usage: result.usage };
  if (result.ok)
    return {
      type: 'effect:succeeded',
      ...where,
      effect: ref,
      output: result.output,
      ...used,
      ...(result.isReplayed === true ? { replayed: true } : {}),
    };
  const error = buildReport(result.failure, { stamp: ambientStamp(), redactor });
  const keptBack = result.keptBack === undefined ? {} : { keptBack: result.keptBack };
  return { type: 'effect:failed', ...where, effect: ref, error, ...keptBack, ...used };
}
