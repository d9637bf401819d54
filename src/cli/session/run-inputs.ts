/** Inputs and answers of a run as the command line gives them: read, and refused where they cannot be meant. */
import { existsSync, readFileSync } from 'node:fs';
import type { RunOptions } from '../../engine/backend.ts';
import { isJsonObject, type JsonObject } from '../../errors/support/safe-json.ts';
import { shellWord } from '../../errors/support/shell-word.ts';
import { suggest } from '../../errors/support/suggest.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { readJson, type ReadJson } from '../../workflow/json-schema/exact-number.ts';
import { readInput, refuseInexact } from '../../workflow/plan/inputs.ts';
import { allNodes } from '../../workflow/plan/node-list.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { refusal } from '../exit.ts';
import { splitInputs } from './split-pair.ts';

/** The inputs of `--input FILE`. */
export function inputsFrom(file: string | undefined): JsonObject {
  if (file === undefined) return {};
  // `-i` is short for --set, and --input names a file
  if (/^[A-Za-z_][\w-]*=/.test(file) && !existsSync(file)) {
    throw new ErrandError({
      kind: 'validation.input',
      message: `--input takes a JSON file, and ${quotedWord(file)} is not one`,
      action: {
        kind: 'change_input',
        detail: `Give a single input with -i: -i ${shellWord(file)}.`,
      },
    });
  }
  if (/^\s*\{/.test(file) && !existsSync(file)) {
    throw refusal(
      `--input takes a JSON file, and ${quotedWord(file)} is not one`,
      'Give single inputs with -i: -i name=value. For JSON, write it to a file and give its path.',
    );
  }
  const { value, inexact } = parseJson(file, readFile(file));
  if (inexact !== undefined) refuseInexact(file, inexact);
  if (isJsonObject(value)) return value;
  throw refusal(`${file} must contain a JSON object`, 'Write the inputs as {"name": value, …}.');
}

function quotedWord(word: string): string {
  return `\`${word.length > 60 ? `${word.slice(0, 59)}…` : word}\``;
}

function readFile(file: string): string {
  try {
    // this also removes the byte order mark with which some editors begin a file
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    const isNoText = error instanceof TypeError;
    throw new ErrandError(
      {
        kind: 'validation.input',
        message: isNoText ? `${file} is not text in UTF-8` : `Cannot read ${file}`,
        action: {
          kind: 'change_input',
          detail: isNoText ? 'Save the file as UTF-8.' : 'Give --input a JSON file that exists.',
        },
      },
      { cause: error },
    );
  }
}

function parseJson(file: string, text: string): ReadJson {
  try {
    return readJson(text);
  } catch (error) {
    throw new ErrandError(
      {
        kind: 'validation.input',
        message: `${file} is not JSON`,
        action: { kind: 'change_input', detail: 'Write the inputs as {"name": value, …}.' },
      },
      { cause: error },
    );
  }
}

/** The inputs of `-i name=value`. */
export function typedInputs(plan: WorkflowPlan, pairs: readonly string[] = []): JsonObject {
  return Object.fromEntries(
    splitInputs(pairs).map(([name, text]) => [name, readInput(plan, name, text)] as const),
  );
}

/** Names in one message. */
const MAX_NAMED = 20;

/** Refuses a name that no node has; a path can be checked only when the run has reached it. */
export function refuseUnknownGates(plan: WorkflowPlan, answers: RunOptions['answers'] = []): void {
  const files = [plan, ...Object.values(plan.children)];
  const nodes = files.flatMap((file) => allNodes(file));
  const names = new Set(nodes.map(({ name }) => name));
  const gates = nodes.filter(({ type }) => type === 'human_gate').map(({ name }) => name);
  for (const { gate } of answers) {
    if (names.has(gate) || /[/[#]/.test(gate)) continue;
    const meant = suggest(gate, names);
    throw refusal(
      `--answer names ${gate}, but no node has that name`,
      `${meant === undefined ? '' : `Did you mean ${meant}? `}${namesOf(gates, 'The gates') ?? namesOf([...names], 'The nodes')}`,
    );
  }
}

/** Undefined where there is none. */
function namesOf(names: readonly string[], what: string): string | undefined {
  if (names.length === 0) return undefined;
  const more = names.length > MAX_NAMED ? ', …' : '';
  return `${what} of the file: ${names.slice(0, MAX_NAMED).join(', ')}${more}.`;
}
