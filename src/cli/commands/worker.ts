/** `errand worker`: carries on the runs of a Temporal server until it is stopped. */
import { oneLine } from '../../errors/printable.ts';
import { temporalPlace } from '../../drivers/temporal/place.ts';
import { startWorker } from '../../drivers/temporal/worker.ts';
import { wrap } from '../../errors/render/columns.ts';
import { parseDuration } from '../../workflow/duration.ts';
import { refusal } from '../exit.ts';
import { projectModules } from '../extensions.ts';
import { madeHome } from '../home.ts';
import { keepInternal } from '../project.ts';
import type { Terminal } from '../terminal.ts';
import { whereFlags } from '../where-flags.ts';

export async function worker(
  flags: { readonly concurrency: string; readonly drain: string; readonly quiet?: boolean },
  terminal: Terminal,
): Promise<number> {
  const note = (text: string): void => {
    const { columns } = terminal.notes ?? terminal;
    if (flags.quiet !== true) terminal.err(wrap(text, columns).join('\n'));
  };
  const concurrency = concurrencyOf(flags.concurrency);
  const drainMs = drainOf(flags.drain);
  const place = temporalPlace(whereFlags(), process.env, process.cwd());
  const home = madeHome(process.env, process.cwd());
  const running = await startWorker({
    place,
    extensionModules: projectModules(),
    base: process.cwd(),
    env: process.env,
    concurrency,
    drainMs,
    onInternal: keepInternal(home),
    onWarning: (text) => terminal.err(`errand worker: ${oneLine(text)}`),
  });
  const { address, namespace, taskQueue } = place;
  note(`Carrying on runs of the task queue ${taskQueue} at ${address}, namespace ${namespace}.`);
  note(`Up to ${concurrency} effects at once. Ctrl-C stops.`);
  if (!running.hasAttributes)
    note(
      'The namespace has no search attributes of Errand; runs show in its memo only. The guide says how to add them.',
    );
  const stop = (): void => {
    // a second one ends at once
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
    note(`Stopping: nothing new is begun, and what is under way has ${flags.drain} to end.`);
    void running.stop();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  await running.stopped;
  note('Stopped.');
  return 0;
}

function concurrencyOf(written: string): number {
  if (/^[1-9]\d{0,4}$/.test(written)) return Number(written);
  throw refusal(
    `${written} is not a number of effects`,
    'Give --concurrency a whole number from 1 on.',
  );
}

function drainOf(written: string): number {
  const ms = parseDuration(written);
  if (ms !== undefined) return ms;
  throw refusal(`${written} is not a duration`, 'Give --drain a duration such as 30s or 5m.');
}
