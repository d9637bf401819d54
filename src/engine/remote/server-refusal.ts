/**
 * A refusal of an Errand server as the error that the command itself would have thrown. The person
 * named the server, so its advice is kept; a stranger's is not.
 */
import { checkFields } from '../../errors/report/fields.ts';
import { readProblem } from '../../errors/report/read-problem.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';

/** Undefined for a body that no Errand wrote. */
export function refusalIn(body: unknown): ErrandError | undefined {
  const draft = readProblem(body);
  if (draft === undefined || !isPlainObject(body)) return undefined;
  const { rule: _rule, ...own } = draft;
  const { good } = checkFields({ action: body['action'] });
  const details = detailsIn(body);
  return new ErrandError({
    ...own,
    ...(good.action === undefined ? {} : { action: adviceFor(draft.kind) ?? good.action }),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  });
}

/** Here nobody writes headers: the token is a setting. */
function adviceFor(kind: string) {
  if (kind !== 'request.unauthenticated') return undefined;
  return {
    kind: 'check_credentials',
    detail: 'Set ERRAND_TOKEN to a token of the server.',
  } as const;
}

const MEMBERS = ['changed', 'diagnostics', 'pointer', 'run', 'removedAt'] as const;

function detailsIn(body: Readonly<Record<string, unknown>>): JsonObject {
  const members = MEMBERS.flatMap((name) =>
    // parsed from JSON
    body[name] === undefined ? [] : [[name, body[name] as JsonValue] as const],
  );
  const { changed } = body;
  if (!Array.isArray(changed)) return Object.fromEntries(members);
  const nodes = changed.flatMap((change: unknown) =>
    isPlainObject(change) && change['isFinished'] === true && typeof change['node'] === 'string'
      ? [change['node']]
      : [],
  );
  return { ...Object.fromEntries(members), nodes: [...new Set(nodes)] };
}
