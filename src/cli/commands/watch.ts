/** `errand watch`: follows a run in the store to the end of its leg, or of the run. */
import { setTimeout as after } from 'node:timers/promises';
import { followRun, latestLeg } from '../../drivers/follow.ts';
import { standingAt } from '../../drivers/leg.ts';
import type { RunEvent } from '../../machine/events.ts';
import type { ReadableStore } from '../../machine/store-port.ts';
import type { WorkflowPlan } from '../../workflow/model.ts';
import type { Format } from '../format.ts';
import { pausedText } from '../screen/ending-text.ts';
import { Showing } from '../showing.ts';
import { findRun, statusOf, withStore } from '../stored-run.ts';
import type { Terminal } from '../terminal.ts';

export interface WatchOptions {
  readonly format: Format;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  /** Whether a pause is waited out. */
  readonly wait?: boolean;
}

export async function watch(
  id: string,
  { format, json, quiet, verbose, wait }: WatchOptions,
  terminal: Terminal,
): Promise<number> {
  return withStore(async (store) => {
    const { plan } = await findRun(store, id);
    const isJson = json === true || format === 'json';
    const show = new Showing(
      { format: 'text', json: isJson, quiet: quiet === true, verbose: verbose === true },
      terminal,
      { run: id },
    );
    let events: readonly RunEvent[] = [];
    const following = follow(store, id, (ms) => after(ms), { throughPauses: wait === true });
    for await (const fresh of following) {
      const isFirst = events.length === 0;
      // not pushed: a long run has more events than a call takes arguments
      events = isFirst ? fresh : events.concat(fresh);
      // what went before is told by `errand show`
      for (const event of isFirst ? latestLeg(fresh) : fresh) show.event(event);
      const last = fresh.at(-1);
      if (wait === true && last?.type === 'run:paused' && !isJson)
        show.note(pausedText(id, last.waiting, { events, nowMs: Date.now() }));
      await terminal.drained();
    }
    // written by a driver, and its row is checked
    const started = JSON.parse(plan) as WorkflowPlan;
    // the exit is that of watching: how the run ended is told, and is no failure of this command
    if (!isJson) show.result({ run: id, result: standingAt(events.at(-1)), events, plan: started });
    return 0;
  }, id);
}

interface Following {
  /** Whether a run that is paused is followed until someone resumes it. */
  readonly throughPauses?: boolean;
}

/** Every event once and in order, in batches, until the latest leg is over. */
export function follow(
  store: ReadableStore,
  run: string,
  wait: (ms: number) => Promise<unknown>,
  { throughPauses = false }: Following = {},
): AsyncGenerator<readonly RunEvent[], void, undefined> {
  const isCarriedOn = async (): Promise<boolean> =>
    statusOf(await store.summary(run)) === 'running';
  return followRun({ store, run, isCarriedOn, wait, throughPauses });
}
