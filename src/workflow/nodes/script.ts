/** `script`: a program, with its exit code, its output and its error file. */
import { secondsToMs } from '../plan/duration.ts';
import { omitUndefined, mapValues } from '../plan/omit-undefined.ts';
import type { ScriptPlan } from '../plan/node-plan.ts';
import type { Path } from '../plan/pointer.ts';
import type { Planner } from '../plan/planner.ts';
import {
  anyText,
  either,
  exampled,
  flag,
  list,
  literal,
  map,
  scalar,
  seconds,
  text,
  wholeNumber,
  type FromShape,
} from '../schema/leaf.ts';
import {
  breakerShape,
  planBreaker,
  planTruncating,
  answeringShape,
  planAnswering,
  planStep,
  stepShape,
  timeoutShape,
  truncatingShape,
} from './shared-keys.ts';

export const scriptShape = exampled(
  {
    type: literal('A program.', 'script'),
    ...stepShape,
    ...timeoutShape,
    ...breakerShape,
    ...answeringShape,
    ...truncatingShape,
    command: text('The program, as a template; no shell is involved.'),
    args: list('Its arguments, as templates.', scalar('An argument.')).optional(),
    env: map('Added to its environment; values are templates.', scalar('A value.')).optional(),
    working_dir: text('Where it runs, from the folder of this file.').optional(),
    stdin: anyText('Its standard input, as a template.').optional(),
    timeout: seconds('Conductor’s name for timeout_seconds.').optional(),
    exit_codes: either(
      'Exit codes that are results and not failures. Default: [0], or `any` where the guard of a success route reads `exit_code`.',
      '`any` or a list',
      [
        literal('Every exit.', 'any'),
        list('These.', wholeNumber('An exit code.', { min: 0, max: 255 }), 1),
      ],
    ).optional(),
    idempotent: flag(
      'Whether it may be repeated when its outcome is unknown. Default: false.',
    ).optional(),
  },
  {
    command: 'python3',
    args: ['label.py', '--strict'],
    env: { TICKET: '{{ workflow.input.ticket }}' },
    working_dir: './tools',
    stdin: '{{ workflow.input.ticket }}',
    timeout: 30,
    exit_codes: [0, 2],
  },
);

export type ScriptFile = FromShape<typeof scriptShape>;

export function planScript(
  node: ScriptFile,
  path: Path,
  planner: Planner,
): Omit<ScriptPlan, 'fingerprint'> {
  const { written } = planner;
  const timeout = node.timeout_seconds ?? node.timeout;
  return omitUndefined({
    type: 'script',
    ...planStep(node, path, planner),
    ...planAnswering(node),
    ...planBreaker(node),
    ...planTruncating(node),
    ...omitUndefined({ timeoutMs: timeout === undefined ? undefined : secondsToMs(timeout) }),
    command: node.command,
    args: (node.args ?? []).map((arg, index) => written(arg, [...path, 'args', index])),
    env: mapValues(node.env ?? {}, (value, key) => written(value, [...path, 'env', key])),
    workingDir: node.working_dir ?? planner.defaults.workingDir,
    stdin: node.stdin,
    exitCodes: node.exit_codes ?? (guardsReadExitCode(node) ? 'any' : [0]),
    isIdempotent: node.idempotent ?? false,
  });
}

/** The index of the first success route whose guard reads the exit code of this very node. */
export function routeReadingExitCode(nodeName: unknown, routes: unknown): number {
  if (!Array.isArray(routes)) return -1;
  return routes.findIndex((route: unknown) => {
    if (typeof route !== 'object' || route === null || 'on_error' in route) return false;
    return 'when' in route && typeof route.when === 'string' && readsExitCode(route.when, nodeName);
  });
}

function guardsReadExitCode(node: ScriptFile): boolean {
  return routeReadingExitCode(node.name, node.routes) >= 0;
}

/** Only as a name in the guard: not inside a string, and not as a field of another node. */
function readsExitCode(guard: string, nodeName: unknown): boolean {
  const names = guard
    .replace(/\[\s*(['"])exit_code\1\s*\]/g, '.exit_code')
    .replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, ' ')
    .match(/[A-Za-z_][\w-]*(?:\s*\.\s*[A-Za-z_]\w*)*/g);
  const own = new Set(['exit_code', 'output.exit_code', `${String(nodeName)}.output.exit_code`]);
  return (names ?? []).some((name) => own.has(name.replace(/\s/g, '')));
}
