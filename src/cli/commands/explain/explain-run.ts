/** `errand explain RUN`: the history of each failure of a run. */
import { onScreen } from '../../../errors/support/on-screen.ts';
import { jsonText } from '../../../errors/support/printable.ts';
import type { ErrandError } from '../../../errors/thrown/errand-error.ts';
import { forPerson } from '../../../errors/report/audiences.ts';
import { failureHistories } from '../../../history/failure-history.ts';
import type { Engine } from '../../../engine/errand.ts';
import type { Format } from '../../format.ts';
import { failuresMarkdown, failuresText } from '../../screen/failure-history-text.ts';
import { isUnknown, readRun, warnLostLog, unknownRun, withRuns } from '../../project/stored-run.ts';
import type { Terminal } from '../../terminal.ts';
import { planFrom } from '../../../engine/run/plan-text.ts';

/** `noKind` is the refusal for a name that is neither a kind nor a run. */
export async function explainRun(
  id: string,
  { format, noKind }: { readonly format: Format; readonly noKind: ErrandError },
  terminal: Terminal,
): Promise<number> {
  return withRuns(async (runs) => {
    if (!(await isRun(runs, id))) throw looksLikeRun(id) ? await unknownRun(runs, id) : noKind;
    const { record, events, status } = await readRun(runs, id);
    await warnLostLog(runs, id, terminal);
    const last = events.at(-1);
    const failures = failureHistories(planFrom(record.plan), events);
    const shown = { run: id, workflow: record.workflow, status, failures };
    switch (format) {
      case 'json': {
        const error = last?.type === 'run:failed' ? forPerson(last.error) : null;
        terminal.out(jsonText({ run: id, error, life: failures }, 2));
        break;
      }
      case 'markdown':
        terminal.out(failuresMarkdown(onScreen(shown)));
        break;
      case 'text':
        terminal.out(failuresText(onScreen(shown), terminal));
        break;
    }
    return 0;
  }, id);
}

async function isRun(runs: Engine, id: string): Promise<boolean> {
  try {
    await runs.record(id);
    return true;
  } catch (thrown) {
    if (isUnknown(thrown)) return false;
    throw thrown;
  }
}

/** The alphabet of run ids, with a digit; kinds have a dot and words. */
function looksLikeRun(id: string): boolean {
  return /^(?=[^\d]*\d)[0-9a-hjkmnp-tv-z-]{4,}$/.test(id);
}
