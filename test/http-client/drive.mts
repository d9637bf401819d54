/** A whole run through the generated client: started, followed, answered, read. Its types are the document's. */
import createClient from 'openapi-fetch';
import type { components, paths } from './__fixtures__/errand-api.ts';

type Run = components['schemas']['Run'];
type Problem = components['schemas']['Problem'];

const [, , baseUrl = '', token = ''] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });

/** The answer, or the failure with its kind. */
function good<T>({ data, error }: { readonly data?: T; readonly error?: Problem }): T {
  if (data !== undefined) return data;
  throw new Error(`refused: ${error?.kind ?? 'without a kind'}`);
}

async function workflowNames(): Promise<readonly string[]> {
  const { workflows } = good(await client.GET('/v1/workflows'));
  return workflows.map(({ name }) => name);
}

async function startedRun(workflow: string): Promise<Run> {
  return good(
    await client.POST('/v1/runs', {
      body: { workflow },
      params: { header: { 'Idempotency-Key': 'drive-1', Prefer: 'wait=60' } },
    }),
  );
}

async function answered({ run, nextMoves }: Run): Promise<string> {
  const move = nextMoves.find((each) => each.move === 'answer');
  if (move?.gate === undefined) throw new Error('nothing is asked');
  const answer = await client.POST('/v1/runs/{run}/answers', {
    params: { path: { run } },
    body: { gate: move.gate, value: move.options?.[0] },
  });
  return good(answer).by;
}

async function refusedKind(): Promise<string> {
  const { error } = await client.GET('/v1/runs/{run}', { params: { path: { run: 'nobody' } } });
  return error?.kind ?? '';
}

/** The same path also streams; without an `Accept` it is a page. */
async function lastEvent(run: string): Promise<string | undefined> {
  const page = await client.GET('/v1/runs/{run}/events', { params: { path: { run } } });
  return typeof page.data === 'object' ? page.data.events.at(-1)?.type : undefined;
}

const names = await workflowNames();
const asked = await startedRun('ask');
const by = await answered(asked);
const path = { run: asked.run };
const wait = { header: { Prefer: 'wait=60' } };
const done = good(await client.GET('/v1/runs/{run}', { params: { path, ...wait } }));
const result = good(await client.GET('/v1/runs/{run}/result', { params: { path, ...wait } }));
const costs = good(await client.GET('/v1/runs/{run}/costs', { params: { path } }));
const listed = good(await client.GET('/v1/runs', { params: { query: { limit: 1 } } }));
process.stdout.write(
  JSON.stringify({
    names,
    before: asked.status,
    by,
    after: done.status,
    result,
    last: await lastEvent(asked.run),
    total: costs.totalUsdMicros,
    listed: listed.runs.map(({ run }) => run === asked.run),
    refused: await refusedKind(),
  }),
);
