/** How the keys of a route go together, and how the routes of a table do. */
import type { Path } from '../path.ts';
import type { Report } from '../problem.ts';
import { MOVES, type MoveType } from '../route.ts';
import { listed, quoted } from '../words.ts';
import { checkOnError } from './kind-rules.ts';
import { asList, asMap, type Raw } from './read.ts';

/** What may follow a failure only: after a success there is nothing to repeat or to raise. */
const NEEDS_ERROR: ReadonlySet<MoveType> = new Set(['retry', 'ask', 'park', 'propagate']);

/** When these are spent, passed over or expired, matching goes on below them. */
const PASSES_ON: ReadonlySet<MoveType> = new Set(['retry', 'ask']);

export function checkRoutes(
  routes: unknown,
  path: Path,
  declared: ReadonlySet<string> | undefined,
  report: Report,
): void {
  for (const [index, route] of asList(routes).entries()) {
    checkRoute(asMap(route), [...path, index], declared, report);
  }
  checkCatchAll(asList(routes).map(asMap), path, report);
}

/** The workflow's own table: failures of any node, so what a node declares does not matter. */
export function checkErrorTable(routes: unknown, path: Path, report: Report): void {
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

export function checkSuccessRoute(routes: unknown, path: Path, report: Report): void {
  const table = asList(routes).map(asMap);
  if (table.length === 0 || table.some((route) => !isErrorRoute(route))) return;
  report({
    code: 'no-success-route',
    message: 'The node has error routes only, and nowhere to go when it succeeds',
    path,
    at: 'key',
    suggestion: 'Add `{to: $end}`, or where the run should go on',
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
  report: Report,
): void {
  const moves = movesOf(route);
  const [move] = moves;
  if (move === undefined) {
    report({
      code: 'no-move',
      message: 'The route does not say what to do',
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
      suggestion: 'Write one route for each move, in the order in which they should be tried',
    });
  }
  if (isErrorRoute(route)) checkOnError(route['on_error'], [...path, 'on_error'], declared, report);
  else checkSuccessMoves(moves, path, report);
  checkWaits(asMap(route['retry']), [...path, 'retry'], report);
}

function checkSuccessMoves(moves: readonly MoveType[], path: Path, report: Report): void {
  for (const move of moves.filter((each) => NEEDS_ERROR.has(each))) {
    report({
      code: 'move-needs-error',
      message: `${quoted(move)} is a move after a failure, and this route is for success`,
      path: [...path, move],
      at: 'key',
      suggestion: 'Add `on_error: true`, or the kinds it is for',
    });
  }
}

function checkWaits(retry: Raw, path: Path, report: Report): void {
  const { initial_seconds: initial, max_seconds: max } = retry;
  if (typeof initial !== 'number' || typeof max !== 'number' || initial <= max) return;
  report({
    code: 'bad-value',
    message: `\`initial_seconds\` is ${initial} and longer than \`max_seconds\`, which is ${max}`,
    path: [...path, 'initial_seconds'],
    expected: 'a first wait that is not longer than the longest',
  });
}

function checkCatchAll(table: readonly Raw[], path: Path, report: Report): void {
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
  const moves = movesOf(route);
  return (
    route['on_error'] === true && !('when' in route) && !moves.some((move) => PASSES_ON.has(move))
  );
}
