/** One clear line for an event, for whoever watches a run go by. */
import { durationWords } from '../errors/render/words.ts';
import type { RunEvent } from '../machine/events.ts';

export function eventLine(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'run:started':
      return `▸ ${event.workflow} (${event.run})`;
    case 'node:started':
      return `  ${event.path} started${event.attempt === 0 ? '' : ` again (re-run ${event.attempt})`}`;
    case 'node:completed':
      return `  ${event.path} completed`;
    case 'node:failed':
      return `  ${event.path} failed: ${event.error.kind}: ${event.error.message}`;
    case 'node:retrying':
      return `  ${event.path} runs again in ${durationWords(event.delayMs)}`;
    case 'route:taken':
      return event.bucket === 'success' ? undefined : `  ${event.path} → ${event.to ?? event.move}`;
    case 'gate:opened':
      return `  ${event.path} asks: ${event.prompt} [${event.options.map(String).join(', ')}]`;
    case 'gate:answered':
      return `  ${event.path} answered by ${event.by}`;
    case 'run:completed':
      return `▪ completed`;
    case 'run:cancelled':
      return `▪ cancelled by ${event.by}`;
    case 'run:failed':
    case 'run:paused':
    case 'run:resumed':
    case 'node:skipped':
    case 'effect:requested':
    case 'effect:succeeded':
    case 'effect:failed':
    case 'gate:expired':
    case 'child:started':
    case 'child:ended':
    case 'breaker:changed':
    case 'budget:warning':
    case 'budget:paused':
    case 'error:suppressed':
      return undefined;
  }
}
