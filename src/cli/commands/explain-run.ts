/** `errand explain RUN`: the life of each failure of a run. */
import { onScreen } from '../../errors/on-screen.ts';
import { jsonText } from '../../errors/printable.ts';
import type { ErrandError } from '../../errors/errand-error.ts';
import { forPerson } from '../../errors/project.ts';
import { livesOf } from '../../machine/failure-life.ts';
import type { ReadableStore } from '../../machine/store-port.ts';
import type { WorkflowPlan } from '../../workflow/model.ts';
import type { Format } from '../format.ts';
import { livesMarkdown, livesText } from '../screen/life-text.ts';
import { isUnknown, readRun, sayLostLog, statusOf, unknownRun, withStore } from '../stored-run.ts';
import type { Terminal } from '../terminal.ts';

/** `noKind` is the refusal for a name that is neither a kind nor a run. */
export async function explainRun(
  id: string,
  { format, noKind }: { readonly format: Format; readonly noKind: ErrandError },
  terminal: Terminal,
): Promise<number> {
  return withStore(async (store) => {
    if (!(await isRun(store, id))) throw looksLikeRun(id) ? await unknownRun(store, id) : noKind;
    const { record, events } = await readRun(store, id);
    await sayLostLog(store, id, terminal);
    const last = events.at(-1);
    // written by a driver, and its row is checked
    const lives = livesOf(JSON.parse(record.plan) as WorkflowPlan, events);
    const told = { run: id, workflow: record.workflow, status: statusOf(record), lives };
    switch (format) {
      case 'json': {
        const error = last?.type === 'run:failed' ? forPerson(last.error) : null;
        terminal.out(jsonText({ run: id, error, life: lives }, 2));
        break;
      }
      case 'markdown':
        terminal.out(livesMarkdown(onScreen(told)));
        break;
      case 'text':
        terminal.out(livesText(onScreen(told), terminal));
        break;
    }
    return 0;
  }, id);
}

async function isRun(store: ReadableStore, id: string): Promise<boolean> {
  try {
    await store.summary(id);
    return true;
  } catch (thrown) {
    if (isUnknown(thrown)) return false;
    throw thrown;
  }
}

/** Of the letters that drivers use, and with a digit; kinds have a dot and words. */
function looksLikeRun(id: string): boolean {
  return /^(?=[^\d]*\d)[0-9a-hjkmnp-tv-z-]{4,}$/.test(id);
}
