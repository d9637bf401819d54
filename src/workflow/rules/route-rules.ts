/** Rules for the keys of a route, and for the order of routes in a table. */
import type { Path } from '../plan/pointer.ts';
import type { ReportProblem } from '../diagnostics/problem.ts';
import { END, MOVES, type MoveType } from '../plan/route-plan.ts';
import { listed, quoted } from '../diagnostics/diagnostic-words.ts';
import { checkOnError } from './kind-rules.ts';
import { asList, asMap, type Raw } from './read-raw.ts';

/** Moves for failures only: after a success there is nothing to repeat or to raise. */
const NEEDS_ERROR: ReadonlySet<MoveType> = new Set(['retry', 'ask', 'park', 'propagate']);

/**
 * When one of these is used up, skipped or expired, matching continues below it; also below a
 * `park` with a `max`.
 */
const PASSES_ON: ReadonlySet<MoveType> = new Set(['retry', 'ask']);

export function checkRoutes(
  routes: unknown,
  path: Path,
  declared: ReadonlySet<string> | undefined,
  report: ReportProblem,
): void {
  for (const [index, route] of asList(routes).entries()) {
    checkRoute(asMap(route), [...path, index], declared, report);
  }
  checkCatchAll(asList(routes).map(asMap), path, report);
}

/** The workflow's own table handles failures of any node, so declarations of a node do not matter. */
export function checkErrorTable(routes: unknown, path: Path, report: ReportProblem): void {
  checkRoutes(routes, path, undefined, report);
  for (const [index, route] of asList(routes).entries()) {
    if ('on_error' in asMap(route)) continue;
    report({
      code: 'error-table-route',
      message: 'A route of the workflow’s error table needs `on_error`',
      path: [...path, index],
      suggestion: 'Add `on_error: true`, or the kinds it is for',
    });
  }
}

export function checkSuccessRoute(routes: unknown, path: Path, report: ReportProblem): void {
  const table = asList(routes).map(asMap);
  if (table.length === 0 || table.some((route) => !isErrorRoute(route))) return;
  report({
    code: 'no-success-route',
    message: 'The node has error routes only, and no route for success',
    path,
    at: 'key',
    suggestion: 'Add `{to: $end}`, or a route to the next node',
  });
}

function isErrorRoute(route: Raw): boolean {
  return 'on_error' in route;
}

function movesOf(route: Raw): MoveType[] {
  return MOVES.filter((move) => move in route);
}

function checkRoute(
  route: Raw,
  path: Path,
  declared: ReadonlySet<string> | undefined,
  report: ReportProblem,
): void {
  const moves = movesOf(route);
  const [move] = moves;
  if (move === undefined) {
    report({
      code: 'no-move',
      message: 'The route has no move',
      path,
      expected: `one of ${listed(MOVES.map(quoted), 'or')}`,
      suggestion: isErrorRoute(route)
        ? 'Add a move: `to`, `retry`, `ask`, `park`, `halt` or `propagate`'
        : 'Add a move: `to` or `halt`',
    });
  }
  if (moves.length > 1) {
    report({
      code: 'two-moves',
      message: `The route says ${listed(moves.map(quoted))}; a route makes one move`,
      path: [...path, moves[1] ?? ''],
      at: 'key',
      suggestion: 'Write one route for each move, in the order in which they should match',
    });
  }
  if ('output' in route && route['to'] !== END)
    checkUnusedOutput('to' in route && !isErrorRoute(route), path, report);
  if (isErrorRoute(route)) checkOnError(route['on_error'], [...path, 'on_error'], declared, report);
  else checkSuccessMoves(moves, path, report);
  checkWaits(asMap(route['retry']), [...path, 'retry'], report);
}

function checkSuccessMoves(moves: readonly MoveType[], path: Path, report: ReportProblem): void {
  for (const move of moves.filter((each) => NEEDS_ERROR.has(each))) {
    report({
      code: 'move-needs-error',
      message: `${quoted(move)} is a move for failures, but this route is for success`,
      path: [...path, move],
      at: 'key',
      suggestion: 'Add `on_error: true`, or the kinds it is for',
    });
  }
}

/**
 * Conductor accepts an output on any success route, but uses it only at the end. On other routes it
 * is a mistake.
 */
function checkUnusedOutput(isAccepted: boolean, path: Path, report: ReportProblem): void {
  report({
    code: isAccepted ? 'not-used' : 'either-or',
    severity: isAccepted ? 'info' : 'error',
    message: isAccepted
      ? 'The `output` of this route is not used; only a route to `$end` has one'
      : 'Only a route to `$end` has an `output`',
    path: [...path, 'output'],
    at: 'key',
    suggestion: 'Use a `set` node on the way',
  });
}

function checkWaits(retry: Raw, path: Path, report: ReportProblem): void {
  const { initial_seconds: initial, max_seconds: max } = retry;
  if (typeof initial !== 'number' || typeof max !== 'number' || initial <= max) return;
  report({
    code: 'bad-value',
    message: `\`initial_seconds\` is ${initial} and longer than \`max_seconds\`, which is ${max}`,
    path: [...path, 'initial_seconds'],
    expected: 'a first wait that is not longer than the longest',
  });
}

function checkCatchAll(table: readonly Raw[], path: Path, report: ReportProblem): void {
  const index = table.findIndex(takesEveryFailure);
  if (index < 0) return;
  const shadowed = table.findIndex((route, other) => other > index && isErrorRoute(route));
  if (shadowed < 0) return;
  report({
    code: 'catch-all-not-last',
    message: `\`on_error: true\` takes every failure, so route ${shadowed + 1} below it can never match`,
    path: [...path, index, 'on_error'],
    suggestion: 'Move this route to the end of the table',
  });
}

function takesEveryFailure(route: Raw): boolean {
  if (route['on_error'] !== true || 'when' in route || 'max' in asMap(route['park'])) return false;
  return !movesOf(route).some((move) => PASSES_ON.has(move));
}
