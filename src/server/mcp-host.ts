/** The runs of a server for its MCP interface: the same functions as behind the routes. */
import { randomBytes } from 'node:crypto';
import { shownView } from '../engine/shown-run.ts';
import type { McpHost, McpWorkflow, ReadRun } from '../mcp-server/host.ts';
import { inputSchema } from '../workflow/plan/input-schema.ts';
import type { RunCore } from './core.ts';
import { reportOfThrown } from './http/problem-response.ts';
import { explainKind, explainRun } from './runs/explain-failures.ts';
import { listRuns } from './runs/list-runs.ts';
import { answerGate, cancelRun, resumeRun, type GateAnswer } from './runs/move-run.ts';
import { movesOf } from './runs/run-json.ts';
import { storedValue } from './runs/run-values.ts';
import { startRun } from './runs/start-run.ts';
import { shownOf, type ServedWorkflow } from './workflows/served-workflows.ts';

export function mcpHost(core: RunCore): McpHost {
  let key: Promise<string> | undefined;
  return {
    workflows: async () => {
      const byName = Map.groupBy(await core.workflows.all(), ({ name }) => name);
      return Array.from(byName.values(), workflowOf);
    },
    start: async ({ workflow, input, by, trace, key: name }) => {
      const request = { workflow, input };
      const keyed = name === undefined ? {} : { key: { name, request } };
      return (await startRun(core, request, { by, isByProgram: true, trace, ...keyed })).run;
    },
    waitWhileRunning: (run, waitMs, signal) => core.reader.waitWhileRunning(run, waitMs, signal),
    read: (run) => readRun(core, run),
    value: (run, wanted) => storedValue(core, run, wanted),
    list: async (query) => ({ runs: (await listRuns(core, query)).runs }),
    answer: (run, answer, waitMs) => answered(core, run, answer, waitMs),
    resume: (run, how) => resumeRun(core, run, how),
    cancel: (run, how) => cancelRun(core, run, how),
    explainRun: (run) => explainRun(core, run),
    explainKind: (kind) => explainKind(kind, 'Name one of the kinds that failures of runs have.'),
    validate: (workflow, text) => core.workflows.judge(workflow, text),
    report: (thrown) => reportOfThrown(thrown, core.redactor),
    stateKey: () => {
      key ??= sharedKey(core).catch((thrown: unknown) => {
        key = undefined;
        throw thrown;
      });
      return key;
    },
    now: () => core.clock.now(),
    after: (ms, fire) => core.clock.after(ms, fire),
    over: core.streams.over,
  };
}

/** Two files of one name are one workflow that cannot run. */
function workflowOf(files: readonly ServedWorkflow[]): McpWorkflow {
  const [{ name, plan, redactor } = NONE, ...more] = files;
  if (plan === undefined || redactor === undefined || more.length > 0) return { name, input: null };
  const { description } = plan;
  return {
    name,
    ...(description === undefined ? {} : { description: String(redactor.values(description)) }),
    input: shownOf(inputSchema(plan), redactor),
  };
}

const NONE: Pick<ServedWorkflow, 'name'> & Partial<ServedWorkflow> = { name: '' };

async function readRun(core: RunCore, run: string): Promise<ReadRun> {
  const folded = await core.folds.viewOf(run);
  const { record, status } = folded;
  // programs call tools
  const { nextMoves, questions, inDoubt } = await movesOf(core, folded, { visitor: undefined });
  const view = shownView(folded.view, { record, status, directory: core.directory, inDoubt });
  return { view, status, nextMoves, questions };
}

async function answered(
  core: RunCore,
  run: string,
  answer: GateAnswer,
  waitMs: number,
): Promise<boolean> {
  const seq = (await (await core.engine()).record(run)).head.nextSeq - 1;
  const { stored } = await answerGate(core, run, answer);
  if (stored !== undefined) return true;
  const taken = await core.reader.eventAfter(run, seq, {
    fits: ({ type }) => type === 'gate:answered',
    waitMs,
  });
  return taken !== undefined;
}

const TOPIC = 'mcp';
const KEY = 'state-key';
const KEY_BYTES = 32;

/**
 * Made once and kept in the store, so that every server on it can verify the others' signatures.
 */
async function sharedKey(core: RunCore): Promise<string> {
  const fresh = randomBytes(KEY_BYTES).toString('base64url');
  const notes = await (await core.engine()).sharedNotes();
  for (;;) {
    const known = (await notes?.notes(TOPIC))?.notes.get(KEY)?.value;
    if (typeof known === 'string') return known;
    // ends, because each lost race means that another server has set the key
    if ((await notes?.setNote(TOPIC, KEY, { value: fresh, version: 0 })) ?? true) return fresh;
  }
}
