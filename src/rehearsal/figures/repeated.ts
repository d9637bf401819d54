/** Finds effects that were repeated although they must not be, and no route or answer allows it. */
import type { RunEvent } from '../../machine/state/events.ts';
import type { Played } from '../play/play-scenario.ts';

/** The paths of such effects. */
export function repeatedUnasked({
  executions,
  events,
}: Pick<Played, 'executions' | 'events'>): readonly string[] {
  const latest = new Map<string, Played['executions'][number]>();
  const found: string[] = [];
  for (const execution of executions) {
    const { effect, isIdempotent, path } = execution;
    if (isIdempotent || effect.type === 'model') continue;
    const before = latest.get(effect.key);
    latest.set(effect.key, execution);
    if (before === undefined) continue;
    const between = events.filter(({ seq }) => seq > before.afterSeq && seq <= execution.afterSeq);
    const isKnownToFail = before.ending?.type === 'failed' || before.ending?.type === 'succeeded';
    if (!isKnownToFail && !between.some((event) => saysSo(event, path))) found.push(path);
  }
  return found;
}

/** A route that names the unknown outcome, or a person who repeats the effect. */
function saysSo(event: RunEvent, path: string): boolean {
  if (!('path' in event) || !path.startsWith(event.path)) return false;
  if (event.type === 'route:taken')
    return event.kind === 'effect.outcome_unknown' && event.bucket !== 'default';
  return event.type === 'gate:answered' && (event.value === 'repeat' || event.value === 'retry');
}
