/** `errand draft`: a model writes a workflow file from a goal, and only a valid one is given out. */
import { existsSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { isJsonObject, type JsonValue } from '../../errors/json.ts';
import { oneLine } from '../../errors/printable.ts';
import { toReport } from '../../errors/to-report.ts';
import { completeInput } from '../../workflow/inputs.ts';
import { draftWorkflow } from '../draft/draft-workflow.ts';
import { DRAFT_FILE, withoutFence, WRITER } from '../draft/names.ts';
import { refusal } from '../exit.ts';
import { projectExtensions } from '../extensions.ts';
import { leg, type LegFlags } from '../leg.ts';
import { openProject } from '../project.ts';
import { Showing, type EndedLeg } from '../showing.ts';
import { shellWord } from '../screen/words.ts';
import type { Terminal } from '../terminal.ts';
import { PRIVATE_FILE } from '../../stores/private-files.ts';
import { writeNew } from '../write-new.ts';

export interface DraftFlags extends LegFlags {
  /** `provider/model`. Default: ERRAND_MODEL. */
  readonly model?: string;
  /** What a sim/ model answers. */
  readonly simulate?: string;
  /** Where to write it. Default: stdout. */
  readonly out?: string;
}

export async function draft(goal: string, flags: DraftFlags, terminal: Terminal): Promise<number> {
  const show = new Showing(flags, terminal, { workflow: 'draft' });
  const { out, simulate } = flags;
  try {
    if (goal.trim() === '')
      throw refusal('A goal is needed', 'For example: errand draft "sort support tickets"');
    // before anything is spent, and once more when it is written
    if (out !== undefined && existsSync(out)) throw isThere(out);
    const workflow = draftWorkflow({
      model: modelOf(flags),
      ...(simulate === undefined ? {} : { simulate }),
    });
    const input = completeInput(workflow.plan, { goal });
    const project = await openProject(await projectExtensions(({ message }) => show.note(message)));
    const place = {
      show,
      project,
      workflow,
      flags,
      terminal,
      give: (output: JsonValue) => give(output, out),
      salvage: (ended: EndedLeg) => keepLast(ended, project.home),
    };
    return await leg(place, (driver, onEvent) => driver.start(workflow.plan, input, { onEvent }));
  } catch (error) {
    return await show.refused(error);
  }
}

function give(output: JsonValue, out: string | undefined): string {
  const written = isJsonObject(output) ? output['file'] : undefined;
  const file = typeof written === 'string' ? written : '';
  if (out === undefined) return file.trimEnd();
  writeNew(out, file, `errand show RUN has the draft; choose another name with --out.`);
  const word = shellWord(out);
  return oneLine(
    `Wrote ${out}. See what can fail in it, and what it can cost: errand validate ${word}`,
  );
}

/** What was drafted last may be worth correcting by hand; it is what the diagnostics speak of. */
function keepLast({ run, events }: EndedLeg, home: string): string | undefined {
  const written = events.findLast(
    (event) => event.type === 'node:completed' && event.node === WRITER,
  );
  const output = written?.type === 'node:completed' ? written.output : undefined;
  const text = isJsonObject(output) ? output['result'] : undefined;
  if (typeof text !== 'string') return undefined;
  const path = join(home, 'runs', run, DRAFT_FILE);
  try {
    writeFileSync(path, withoutFence(text), { mode: PRIVATE_FILE });
    return `Correct it by hand: ${shownPath(path)}`;
  } catch (thrown) {
    return `The last draft cannot be kept: ${toReport(thrown).message}`;
  }
}

/** As it can be typed here: from this folder, or from the variable that says where runs are kept. */
function shownPath(path: string): string {
  const near = relative(process.cwd(), path);
  const isSet = (process.env['ERRAND_HOME'] ?? '') !== '';
  return isSet && near.startsWith('..')
    ? `"$ERRAND_HOME"/${join('runs', basename(dirname(path)), basename(path))}`
    : near;
}

function modelOf({ model, simulate }: DraftFlags): string {
  const named = model ?? process.env['ERRAND_MODEL'] ?? '';
  if (named === '')
    throw refusal(
      'A model is needed to write the draft',
      'Name one with --model provider/model, or set ERRAND_MODEL; errand doctor says which keys are set.',
    );
  if (simulate !== undefined && !named.startsWith('sim/'))
    throw refusal(`${named} is not simulated`, 'Give --simulate with --model sim/NAME only.');
  return named;
}

function isThere(out: string): Error {
  return refusal(
    `${out} is there already, and nothing was written`,
    'Choose another name with --out, or move the file away.',
  );
}
