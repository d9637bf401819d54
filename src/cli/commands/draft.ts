/** `errand draft`: has a model write a workflow file for a goal, and outputs only a valid one. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { isJsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { oneLine } from '../../errors/support/printable.ts';
import { inProject } from './run.ts';
import { needsStore } from '../project/server-location.ts';
import { draftWorkflow } from '../draft/draft-workflow.ts';
import { DRAFT_FILE, withoutFence, WRITER } from '../draft/draft-names.ts';
import { refusal } from '../exit.ts';
import { runLeg, type LegFlags } from '../session/run-session.ts';
import { SessionView, type EndedLeg } from '../session/session-view.ts';
import { shellWord } from '../../errors/support/shell-word.ts';
import type { Terminal } from '../terminal.ts';
import { writePrivate } from '../../stores/sqlite/private-files.ts';
import { writeNew } from '../project/write-new.ts';
import { fileWords } from '../project/make-folder.ts';

export interface DraftFlags extends LegFlags {
  /** `provider/model`. Default: ERRAND_MODEL. */
  readonly model?: string;
  /** The replies of a sim/ model. */
  readonly simulate?: string;
  /** Where to write it. Default: stdout. */
  readonly out?: string;
}

export async function draft(goal: string, flags: DraftFlags, terminal: Terminal): Promise<number> {
  const show = new SessionView(flags, terminal, { workflow: 'draft' });
  const { out, simulate } = flags;
  return inProject({ show }, async (project) => {
    const { home } = project;
    if (home === undefined) throw needsStore('errand draft', project.server ?? '');
    if (goal.trim() === '')
      throw refusal('The goal is empty', 'For example: errand draft "sort support tickets"');
    // checked before anything is spent, and again when the file is written
    if (out !== undefined && existsSync(out)) throw isThere(out);
    const workflow = draftWorkflow({
      model: modelOf(flags),
      ...(simulate === undefined ? {} : { simulate }),
    });
    await project.engine.open();
    const context = {
      show,
      project,
      workflow,
      flags,
      terminal,
      give: (output: JsonValue) => give(output, out),
      salvage: (ended: EndedLeg) => keepLast(ended, home),
    };
    return runLeg(context, (onEvent) =>
      project.engine.start(workflow, { input: { goal }, onEvent }),
    );
  });
}

function give(output: JsonValue, out: string | undefined): string {
  const written = isJsonObject(output) ? output['file'] : undefined;
  const file = typeof written === 'string' ? written : '';
  if (out === undefined) return file.trimEnd();
  writeNew(out, file, 'Choose another name with --out; errand show RUN has the draft.');
  const word = shellWord(out);
  return oneLine(
    `Wrote ${out}. Check what can fail in it and what it can cost: errand validate ${word}`,
  );
}

/** Saves the last draft, which the diagnostics are about: it may be worth correcting by hand. */
function keepLast({ run, events }: EndedLeg, home: string): string | undefined {
  const written = events.findLast(
    (event) => event.type === 'node:completed' && event.node === WRITER,
  );
  const output = written?.type === 'node:completed' ? written.output : undefined;
  const text = isJsonObject(output) ? output['result'] : undefined;
  if (typeof text !== 'string') return undefined;
  const path = join(home, 'runs', run, DRAFT_FILE);
  try {
    writePrivate(path, withoutFence(text));
    return `Correct it by hand: ${shownPath(path)}`;
  } catch (thrown) {
    return `Cannot save the last draft: ${fileWords(thrown)}`;
  }
}

/** A path that can be typed here: relative to this folder, or to `ERRAND_HOME`. */
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
      'No model is set to write the draft',
      'Name one with --model provider/model, or set ERRAND_MODEL; errand doctor says which keys are set.',
    );
  if (simulate !== undefined && !named.startsWith('sim/'))
    throw refusal(`${named} is not simulated`, 'Give --simulate with --model sim/NAME only.');
  return named;
}

function isThere(out: string): Error {
  return refusal(
    `${out} already exists; nothing was written`,
    'Choose another name with --out, or move the file away.',
  );
}
