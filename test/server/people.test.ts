/** Gates that only people answer, whichever way a program tries. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { embedded, serve, type Answer, type Served } from './served.ts';

const SIGN = `workflow: {name: sign, entry_point: question}
nodes:
  - name: question
    type: human_gate
    prompt: Sign it?
    options: [{value: "yes"}, {value: "no"}]
    answered_by: person
    routes: [{to: done}]
  - {name: done, type: set, value: "{{ question.output.selected }}"}
`;

const FORBIDDEN = [403, 'request.forbidden'];

async function errand(served: Served, ...args: string[]): Promise<string> {
  const how = { cwd: served.folder, env: { PATH: process.env['PATH'] ?? '' } };
  return (await promisify(execFile)(process.execPath, [LAUNCHER, ...args], how)).stdout;
}

async function cookieOf(served: Served): Promise<string> {
  const { headers } = await served.ask('/session', { method: 'POST' });
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}

function movesOf({ json }: Answer): readonly string[] {
  return json.nextMoves.map(({ move }: { move: string }) => move);
}

test('a token may not answer, nor is it offered, and the gate stays open for the page', async () => {
  const served = await serve({ files: { 'sign.yaml': SIGN } });
  const { run } = await served.run('sign');
  const path = `/v1/runs/${run}/answers`;
  const refused = await served.ask(path, { json: { gate: 'question', value: 'yes' } });
  expect([refused.status, refused.json.kind]).toEqual(FORBIDDEN);
  const byToken = await served.ask(`/v1/runs/${run}`);
  expect(movesOf(byToken)).toEqual(['cancel']);
  expect((await served.ask('/v1/gates')).json.gates).toMatchObject([
    { run, gate: 'question', answeredBy: 'person' },
  ]);
  const headers = { cookie: await cookieOf(served), origin: served.url };
  const bySession = await served.ask(`/v1/runs/${run}`, { token: null, headers });
  expect(movesOf(bySession)).toEqual(['answer', 'cancel']);
  const answered = await served.ask(path, { json: { value: 'yes' }, token: null, headers });
  expect([answered.status, answered.json.value]).toEqual([200, 'yes']);
});

test('a token may not prepare the answer either, by the name or by the path of the gate', async () => {
  const group = `workflow: {name: group, entry_point: both}
nodes:
  - {name: one, type: human_gate, prompt: Sign it?, options: [{value: "yes"}], answered_by: person}
  - {name: two, type: set, value: 2}
parallel: [{name: both, agents: [one, two]}]
`;
  const served = await serve({ files: { 'group.yaml': group } });
  const start = (answers: object) =>
    served.ask('/v1/runs', {
      json: { workflow: 'group', answers },
      headers: { prefer: 'wait=60' },
    });
  const refused = await start({ one: 'yes' });
  expect([refused.status, refused.json.kind]).toEqual(FORBIDDEN);
  expect((await served.ask('/v1/runs')).json.runs).toEqual([]);
  const { json } = await start({ 'both[one]/one': 'yes', 'both[one]': 'yes', 'both/one': 'yes' });
  expect([json.status, json.attention]).toEqual(['paused', 'waiting_person']);
  const { json: log } = await served.ask(`/v1/runs/${json.run}/events?type=error:suppressed`);
  expect(log.events).toMatchObject([{ error: { kind: 'request.forbidden' } }]);
});

test('the command line may, at once and beforehand', async () => {
  const served = await serve({ files: { 'sign.yaml': SIGN } });
  const { run } = await served.run('sign');
  expect(JSON.parse(await errand(served, 'answer', run, '--value', 'no'))).toBe('no');
  const prepared = await errand(served, 'run', 'sign.yaml', '--answer', 'question=yes');
  expect(JSON.parse(prepared)).toBe('yes');
});

test('a host that decides who may also says who is a person', async () => {
  const { server, ask } = embedded(
    { 'sign.yaml': SIGN },
    {
      authorize: ({ headers }) => ({
        name: 'ada',
        role: 'run',
        isPerson: headers.get('x-person') !== null,
      }),
    },
  );
  const started = await ask('/v1/runs', {
    json: { workflow: 'sign' },
    headers: { prefer: 'wait=60' },
  });
  const path = `/v1/runs/${started.json.run}/answers`;
  const refused = await ask(path, { json: { value: 'yes' } });
  expect([refused.status, refused.json.kind]).toEqual(FORBIDDEN);
  expect((await ask(path, { json: { value: 'yes' }, headers: { 'x-person': '1' } })).status).toBe(
    200,
  );
  await server.close();
});
