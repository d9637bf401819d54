/** `errand watch`: follows a run in the store to the end of its leg, or of the run. */
import type { Engine } from '../../engine/errand.ts';
import { latestLeg, resultAt } from '../../engine/backend.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { Format } from '../format.ts';
import { pausedText } from '../screen/ending-text.ts';
import { SessionView } from '../session/session-view.ts';
import { findRun, withRuns } from '../project/stored-run.ts';
import type { Terminal } from '../terminal.ts';
import { planFrom } from '../../engine/run/plan-text.ts';

export interface WatchOptions {
  readonly format: Format;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  /** Keep following through pauses. */
  readonly wait?: boolean;
}

export async function watch(
  id: string,
  { format, json, quiet, verbose, wait }: WatchOptions,
  terminal: Terminal,
): Promise<number> {
  const isJson = json === true || format === 'json';
  const show = new SessionView(
    { format: 'text', json: isJson, quiet: quiet === true, verbose: verbose === true },
    terminal,
    { run: id },
  );
  const follow = async (runs: Engine): Promise<number> => {
    const { plan } = await findRun(runs, id);
    let events: readonly RunEvent[] = [];
    for await (const fresh of runs.follow(id, { throughPauses: wait === true })) {
      const isFirst = events.length === 0;
      // not with `push(...)`: a long run has more events than a call takes arguments
      events = isFirst ? fresh : events.concat(fresh);
      // earlier legs are shown by `errand show`
      for (const event of isFirst ? latestLeg(fresh) : fresh) show.event(event);
      const last = fresh.at(-1);
      if (wait === true && last?.type === 'run:paused' && !isJson)
        show.note(pausedText(id, last.waiting, { events, nowMs: Date.now() }));
      await terminal.drained();
    }
    // exit 0: how the run ended is printed, and is not a failure of this command
    if (!isJson)
      show.result({ run: id, result: resultAt(events.at(-1)), events, plan: planFrom(plan) });
    return 0;
  };
  return withRuns(follow, id, ({ message }) => show.warn(message));
}
