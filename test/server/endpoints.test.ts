/** Every endpoint through a real socket: what it gives, and each refusal that its row names. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anyErrandSync } from '../cli/shared/command.ts';
import { serveWarm as serve, type Served } from './served.ts';
import { ALL, HELLO } from './workflows.ts';

const KEY = { 'idempotency-key': 'a key' };

function expectProblem(
  answer: { status: number; headers: Headers; json: Record<string, unknown> },
  status: number,
  kind: string,
): void {
  expect({ status: answer.status, kind: answer.json?.['kind'] }).toEqual({ status, kind });
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.headers.get('errand-error-source')).toBe('request');
  expect(answer.json).toMatchObject({ type: `urn:errand:error:${kind}`, status });
}

/** What a command of the project prints as JSON. */
function command(served: Served, ...args: string[]): unknown {
  const env = { ERRAND_HOME: join(served.folder, '.errand') };
  return JSON.parse(anyErrandSync([...args, '--format', 'json'], { env }).stdout);
}

describe('the server itself', () => {
  it('says that it lives and that its store does, without a token', async () => {
    const served = await serve({ files: ALL });
    expect((await served.ask('/health', { token: null })).json).toMatchObject({ status: 'ok' });
    expect((await served.ask('/ready', { token: null })).json).toEqual({ store: 'ok' });
    expect((await served.ask('/', { token: null })).status).toBe(200);
  });

  it('has a document of its API with an operation id for each path', async () => {
    const served = await serve({ files: ALL });
    const { json } = await served.ask('/openapi.json');
    expect(json.openapi).toBe('3.1.0');
    const operations = Object.values(json.paths).flatMap((path) => Object.values(path as object));
    expect(operations.length).toBeGreaterThan(25);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  });

  it('counts in the text form of Prometheus', async () => {
    const served = await serve({ files: ALL });
    await served.run('hello');
    await served.run('fails');
    await served.run('parks');
    const { text, headers } = await served.ask('/metrics');
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toContain('errand_runs{workflow="hello",status="completed"} 1');
    expect(text).toContain('errand_waiting{reason="time"} 1');
    expect(text).toContain('errand_failures_total{workflow="fails",kind="order.missing"} 1');
    expect(text).toMatch(/errand_store_seconds_count [1-9]/);
  });

  it('refuses what it has not, and methods that a path does not take', async () => {
    const served = await serve({ files: ALL });
    expectProblem(await served.ask('/v1/nothing'), 404, 'request.not_found');
    expectProblem(await served.ask('/v1/nothing', { token: null }), 401, 'request.unauthenticated');
    const wrong = await served.ask('/v1/runs', { method: 'DELETE' });
    expectProblem(wrong, 405, 'request.method');
    expect(wrong.headers.get('allow')).toBe('POST, GET, HEAD');
  });
});

describe('workflows', () => {
  it('are listed with their inputs, and each is read with its graph', async () => {
    const served = await serve({ files: { ...ALL, 'broken.yaml': 'workflow: {name: broken' } });
    const { json } = await served.ask('/v1/workflows');
    expect(json.workflows.find(({ name }: { name: string }) => name === 'hello')).toEqual({
      name: 'hello',
      file: 'hello.yaml',
      description: 'Greets.',
      isValid: true,
      errors: 0,
      warnings: 0,
      input: {
        type: 'object',
        properties: {
          who: { type: 'string', default: 'you' },
          times: { type: 'integer', default: 1 },
        },
        additionalProperties: false,
      },
    });
    expect(
      json.workflows.find(({ file }: { file: string }) => file === 'broken.yaml'),
    ).toMatchObject({
      name: 'broken',
      isValid: false,
      input: null,
    });
    const one = await served.ask('/v1/workflows/ask');
    expect(one.json).toMatchObject({
      name: 'ask',
      file: 'ask.yaml',
      graph: {
        entryPoint: 'question',
        nodes: [
          {
            name: 'question',
            type: 'human_gate',
            routes: [{ rule: 0, bucket: 'success', move: 'to', to: 'done' }],
          },
          { name: 'done', type: 'set', routes: [] },
        ],
      },
      validation: { isValid: true },
    });
    const etag = one.headers.get('etag') ?? '';
    const again = await served.ask('/v1/workflows/ask', { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
    expectProblem(await served.ask('/v1/workflows/nobody'), 404, 'workflow.not_found');
  });

  it('of one name are both listed as invalid, and neither runs', async () => {
    const served = await serve({ files: { 'a.yaml': HELLO, 'b.yaml': HELLO } });
    const { json } = await served.ask('/v1/workflows');
    expect(json.workflows.map(({ isValid }: { isValid: boolean }) => isValid)).toEqual([
      false,
      false,
    ]);
    const refused = await served.ask('/v1/runs', { json: { workflow: 'hello' } });
    expectProblem(refused, 422, 'validation.workflow');
    expect(refused.json.diagnostics[0].message).toContain('neither runs');
  });

  it('that are new in a served folder are found', async () => {
    const served = await serve({ files: ALL });
    writeFileSync(join(served.folder, 'late.yaml'), HELLO.replace('name: hello', 'name: late'));
    await expect.poll(async () => (await served.ask('/v1/workflows/late')).status).toBe(200);
  });

  it('are validated as on disk, or as a text in their place', async () => {
    const served = await serve({ files: ALL });
    const path = '/v1/workflows/hello/validate';
    expect((await served.ask(path, { method: 'POST' })).json).toMatchObject({ isValid: true });
    const yaml = { 'content-type': 'application/yaml' };
    const invalid = await served.ask(path, { body: 'workflow: {name: hello}', headers: yaml });
    expect(invalid.status).toBe(200);
    expect(invalid.json).toMatchObject({ isValid: false });
    const valid = await served.ask(path, { body: HELLO, headers: { 'content-type': 'text/yaml' } });
    expect(valid.json).toMatchObject({ isValid: true });
    expectProblem(await served.ask(path, { json: {} }), 415, 'request.media_type');
    const long = await served.ask(path, { body: 'x'.repeat(1024 * 1024 + 1), headers: yaml });
    expectProblem(long, 413, 'request.too_large');
  });

  it('are judged without reading or loading what the file on disk does not name', async () => {
    const loads = 'globalThis.process.exit(9);';
    const served = await serve({
      files: { ...ALL, 'evil.mjs': loads, 'secret.txt': 'password: 1' },
    });
    const headers = { 'content-type': 'application/yaml' };
    const module = HELLO.replace('name: hello,', 'name: hello, module: ./evil.mjs,');
    const judged = await served.ask('/v1/workflows/hello/validate', { body: module, headers });
    expect(judged.json.files[0].diagnostics).toMatchObject([{ code: 'not-looked-at' }]);
    const include = HELLO.replace('Greets.', '!file ./secret.txt');
    const { json } = await served.ask('/v1/workflows/hello/validate', { body: include, headers });
    expect(json.files[0].diagnostics[0]).toMatchObject({ code: 'include-unreadable' });
    expect((await served.ask('/health')).status).toBe(200);
  });

  it('are replaced only with the right tag, a valid text, and leave', async () => {
    const files = { ...ALL };
    const closed = await serve({ files });
    const yaml = { 'content-type': 'application/yaml' };
    const put = (served: Served, body: string, ifMatch?: string) =>
      served.ask('/v1/workflows/hello', {
        method: 'PUT',
        body,
        headers: { ...yaml, ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }) },
      });
    expectProblem(await put(closed, HELLO, '"x"'), 403, 'request.forbidden');
    const served = await serve({ files, args: ['--allow-edit'] });
    const tag = (await served.ask('/v1/workflows/hello')).headers.get('etag') ?? '';
    expectProblem(await put(served, HELLO), 412, 'request.stale');
    expectProblem(await put(served, HELLO, '*'), 412, 'request.stale');
    expectProblem(await put(served, HELLO, '"other"'), 412, 'request.stale');
    const invalid = await put(served, 'workflow: {name: hello}', tag);
    expectProblem(invalid, 422, 'validation.workflow');
    expect(invalid.json.diagnostics.length).toBeGreaterThan(0);
    const renamed = HELLO.replace('name: hello', 'name: other');
    expectProblem(await put(served, renamed, tag), 422, 'validation.workflow');
    const masked = HELLO.replace('Greets.', '"[redacted]"');
    expectProblem(await put(served, masked, tag), 422, 'validation.workflow');
    const changed = await put(served, HELLO.replace('Hello', 'Goodbye'), tag);
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(tag);
    expect((await served.run('hello')).output).toBe('Goodbye you');
    expectProblem(await put(served, HELLO, tag), 412, 'request.stale');
  });
});

describe('starting a run', () => {
  it('gives the run, which is what show prints and more', async () => {
    const served = await serve({ files: ALL });
    const started = await served.ask('/v1/runs', {
      json: { workflow: 'hello', input: { who: 'Ada' } },
      headers: { prefer: 'wait=30' },
    });
    expect(started.status).toBe(201);
    const { run } = started.json;
    expect(started.headers.get('location')).toBe(`/v1/runs/${run}`);
    expect(started.headers.get('preference-applied')).toBe('wait=30');
    expect(started.json).toMatchObject({
      status: 'completed',
      output: 'Hello Ada',
      attention: 'none',
    });
    const { seq, attention, nextMoves, file, ...shown } = started.json;
    expect({ seq, attention }).toEqual({ seq: 5, attention: 'none' });
    expect(nextMoves).toMatchObject([{ move: 'retry', needs: ['from'] }]);
    expect(file).toBe('hello.yaml');
    const { file: _file, ...printed } = command(served, 'show', run) as Record<string, unknown>;
    expect(shown).toEqual(printed);
  });

  it('gives the same run for the same key, and refuses the key for another body', async () => {
    const served = await serve({ files: ALL });
    const body = { workflow: 'ask', input: {} };
    const first = await served.ask('/v1/runs', { json: body, headers: KEY });
    const again = await served.ask('/v1/runs', {
      json: { input: {}, workflow: 'ask' },
      headers: { 'idempotency-key': '"a key"' },
    });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.json.run).toBe(first.json.run);
    const other = await served.ask('/v1/runs', { json: { workflow: 'ask' }, headers: KEY });
    expectProblem(other, 422, 'request.key_reused');
    const long = { 'idempotency-key': 'x'.repeat(256) };
    expectProblem(
      await served.ask('/v1/runs', { json: body, headers: long }),
      422,
      'request.invalid',
    );
  });

  it('uses no key up where it is refused', async () => {
    const served = await serve({ files: ALL });
    const bad = { workflow: 'hello', input: { who: 7 } };
    expectProblem(
      await served.ask('/v1/runs', { json: bad, headers: KEY }),
      422,
      'validation.input',
    );
    const good = { workflow: 'hello', input: { who: 'Ada' } };
    expect((await served.ask('/v1/runs', { json: good, headers: KEY })).status).toBe(201);
  });

  it('is refused for what cannot run', async () => {
    const served = await serve({ files: { ...ALL, 'bad.yaml': 'workflow: {name: bad}' } });
    const start = (json: unknown) => served.ask('/v1/runs', { json });
    expectProblem(await start({ workflow: 'nobody' }), 404, 'workflow.not_found');
    expectProblem(await start({ workflow: '../hello' }), 404, 'workflow.not_found');
    const invalid = await start({ workflow: 'bad' });
    expectProblem(invalid, 422, 'validation.workflow');
    expect(invalid.json.diagnostics.length).toBeGreaterThan(0);
    expectProblem(
      await start({ workflow: 'hello', input: { whom: 'x' } }),
      422,
      'validation.input',
    );
    expectProblem(
      await start({ workflow: 'ask', answers: { nobody: 1 } }),
      422,
      'validation.input',
    );
    expectProblem(await start({ workflow: 'hello', file: 'x' }), 422, 'request.invalid');
    expectProblem(await start([]), 422, 'request.invalid');
    const list = await start({ workflow: 'hello', input: [1] });
    expect(list.json['detail']).toBe(
      'The field input is not valid: expected object, received array',
    );
    const empty = await start({});
    expectProblem(empty, 422, 'request.invalid');
    expect(empty.json['detail']).toBe('The field workflow is missing');
    expect((await start({ workflow: 7 })).json['detail']).toBe(
      'The field workflow is not valid: expected string, received number',
    );
    const json = { 'content-type': 'application/json' };
    const text = (body: string) => served.ask('/v1/runs', { body, headers: json });
    expectProblem(await text('{"workflow":'), 422, 'request.invalid');
    expectProblem(
      await text('{"workflow":"hello","input":{"times":9007199254740993}}'),
      422,
      'request.invalid',
    );
    expectProblem(await served.ask('/v1/runs', { body: 'x' }), 415, 'request.media_type');
  });

  it('answers its gates ahead, or has nobody to ask', async () => {
    const served = await serve({ files: ALL });
    expect(await served.run('ask', { answers: { question: 'no' } })).toMatchObject({
      output: 'no',
    });
    expect(await served.run('ask', { gates: false })).toMatchObject({
      status: 'failed',
      error: { kind: 'gate.no_one_to_ask' },
    });
  });

  it('over --max-runs is refused, and uses no key up', async () => {
    const served = await serve({ files: ALL, args: ['--max-runs', '1'] });
    const first = await served.ask('/v1/runs', {
      json: { workflow: 'slow', input: { seconds: '100' } },
    });
    expect(first.status).toBe(201);
    const second = await served.ask('/v1/runs', { json: { workflow: 'slow' }, headers: KEY });
    expectProblem(second, 429, 'request.limited');
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
    await served.ask(`/v1/runs/${first.json.run}/cancel`, { method: 'POST' });
    await expect
      .poll(
        async () =>
          (await served.ask('/v1/runs', { json: { workflow: 'slow' }, headers: KEY })).status,
      )
      .toBe(201);
  });
});

describe('listing runs', () => {
  it('goes through pages, newest first, and nothing is skipped or doubled by new runs', async () => {
    const served = await serve({ files: ALL });
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.unshift((await served.run('hello')).run);
    const first = await served.ask('/v1/runs?limit=2');
    expect(first.json.runs.map(({ run }: { run: string }) => run)).toEqual(made.slice(0, 2));
    expect(first.json.runs[0]).not.toHaveProperty('output');
    await served.run('hello');
    const [, link = ''] = /<(.*)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
    expect(link).toBe(`/v1/runs?limit=2&cursor=${first.json.next}`);
    const second = await served.ask(link);
    const third = await served.ask(`/v1/runs?limit=2&cursor=${second.json.next}`);
    const seen = [second, third].flatMap(({ json }) =>
      json.runs.map(({ run }: { run: string }) => run),
    );
    expect(seen).toEqual(made.slice(2));
    expect(third.json).not.toHaveProperty('next');
  });

  it('filters by status, attention, workflow, kind and time', async () => {
    const served = await serve({ files: ALL });
    const runs = {
      hello: (await served.run('hello')).run,
      fails: (await served.run('fails')).run,
      ask: (await served.run('ask')).run,
      parks: (await served.run('parks')).run,
    };
    const list = async (query: string): Promise<string[]> =>
      (await served.ask(`/v1/runs?${query}`)).json.runs.map(
        ({ workflow }: { workflow: string }) => workflow,
      );
    expect(await list('status=failed')).toEqual(['fails']);
    expect(await list('status=failed,completed')).toEqual(['fails', 'hello']);
    expect(await list('attention=waiting_person')).toEqual(['ask']);
    expect(await list('attention=waiting_time,failed')).toEqual(['parks', 'fails']);
    expect(await list('workflow=hello')).toEqual(['hello']);
    expect(await list('kind=order.missing')).toEqual(['fails']);
    expect(await list('kind=order.*')).toEqual(['fails']);
    expect(await list('kind=provider.*')).toEqual([]);
    expect(await list('since=2999-01-01T00:00:00Z')).toEqual([]);
    expect(await list('since=2000-01-01T00:00:00Z')).toHaveLength(4);
    expect(Object.keys(runs)).toHaveLength(4);
    for (const query of [
      'status=gone',
      'limit=0',
      'limit=201',
      'limit=x',
      'cursor=x',
      'colour=red',
      'since=then',
      'attention=',
      'limit=1&limit=2',
      '__proto__=1',
      'constructor=1',
    ])
      expectProblem(await served.ask(`/v1/runs?${query}`), 422, 'request.invalid');
  });

  it.each([
    [
      '/v1/runs?status=running,foo',
      /^The query parameter status is not valid: "foo" is not one of .*paused/,
    ],
    ['/v1/runs?attention=foo', /^The query parameter attention is not valid: "foo" is not one of /],
    [
      '/v1/runs/none/events?type=foo',
      'The query parameter type is not valid: "foo" is not a type of event',
    ],
    ['/v1/runs?since=then', /: "then" is not a date or a time with its zone, as /],
    ['/v1/runs?limit=201', 'The query parameter limit is not valid: it is above 200'],
    ['/v1/runs?limit=0', 'The query parameter limit is not valid: it is below 1'],
    ['/v1/runs?limit=-1', 'The query parameter limit is not valid: it is below 1'],
    [
      `/v1/runs?limit=${'9'.repeat(400)}`,
      'The query parameter limit is not valid: it is above 200',
    ],
    ['/v1/runs?limit=1.5', 'The query parameter limit is not valid: it is not a whole number'],
    [
      '/v1/runs/none/value?of=foo',
      'The query parameter of is not valid: "foo" is not one of input, output, prompt, error, answer',
    ],
  ])('says of %s which value is wrong', async (path, detail) => {
    const served = await serve({ files: ALL });
    const problem = await served.ask(path);
    expectProblem(problem, 422, 'request.invalid');
    expect(problem.json['detail']).toMatch(detail);
  });
});

describe('reading a run', () => {
  it('gives a tag, and 304 while nothing has changed', async () => {
    const served = await serve({ files: ALL });
    const { run } = await served.run('ask');
    const first = await served.ask(`/v1/runs/${run}`);
    const etag = first.headers.get('etag') ?? '';
    const same = await served.ask(`/v1/runs/${run}`, { headers: { 'if-none-match': etag } });
    expect([same.status, same.text]).toEqual([304, '']);
    await served.ask(`/v1/runs/${run}/answers`, { json: { value: 'yes' } });
    const changed = await served.ask(`/v1/runs/${run}`, { headers: { 'if-none-match': etag } });
    expect(changed.status).toBe(200);
    for (const part of [
      '',
      '/result',
      '/events',
      '/value',
      '/costs',
      '/audit',
      '/explain',
      '/drift',
    ])
      expectProblem(await served.ask(`/v1/runs/nobody${part}`), 404, 'run.not_found');
  });

  it('has a result by its end', async () => {
    const served = await serve({ files: ALL });
    const result = async (run: string) => served.ask(`/v1/runs/${run}/result`);
    const done = await result((await served.run('hello')).run);
    expect([done.status, done.json]).toEqual([200, { output: 'Hello you' }]);
    const waiting = await result((await served.run('ask')).run);
    expect([waiting.status, waiting.json.status]).toEqual([202, 'paused']);
    expect(waiting.headers.get('retry-after')).toBe('1');
    const failed = await result((await served.run('fails')).run);
    expect(failed.status).toBe(422);
    expect(failed.headers.get('errand-error-source')).toBe('run');
    expect(failed.headers.has('retry-after')).toBe(false);
    expect(failed.json).toMatchObject({ kind: 'order.missing', detail: 'No such order' });
    const { run } = await served.run('ask');
    await served.ask(`/v1/runs/${run}/cancel`, { method: 'POST' });
    const cancelled = await result(run);
    expect([cancelled.status, cancelled.json.kind]).toEqual([409, 'cancelled.run']);
  });

  it('gives costs, audit and explanation as the commands do', async () => {
    const served = await serve({ files: ALL });
    const { run } = await served.run('fails');
    for (const name of ['costs', 'audit', 'explain'])
      expect((await served.ask(`/v1/runs/${run}/${name}`)).json).toEqual(
        command(served, name, run),
      );
  });

  it('cuts large values, and has the whole one behind a link', async () => {
    const served = await serve({ files: ALL });
    const shown = await served.run('large');
    expect(shown.output).toEqual({ truncated: true, bytes: 100_002, href: expect.any(String) });
    const whole = await served.ask(shown.output.href);
    expect(whole.json).toBe('x'.repeat(100_000));
    const { json } = await served.ask(`/v1/runs/${shown.run}/result`);
    expect(json.output).toHaveLength(100_000);
    const events = (await served.ask(`/v1/runs/${shown.run}/events`)).json.events;
    const completed = events.find(({ type }: { type: string }) => type === 'node:completed');
    expect(completed.output.truncated).toBe(true);
    expect((await served.ask(completed.output.href)).json).toHaveLength(100_000);
    const small = (await served.run('large', { input: { n: 100 } })).output;
    expect(small).toHaveLength(100);
  });

  it('gives single values', async () => {
    const served = await serve({ files: ALL });
    const { run } = await served.run('ask');
    await served.ask(`/v1/runs/${run}/answers`, { json: { value: 'no' } });
    await served.ask(`/v1/runs/${run}`, { headers: { prefer: 'wait=30' } });
    const value = async (query: string) =>
      (await served.ask(`/v1/runs/${run}/value?${query}`)).json;
    expect(await value('')).toBe('no');
    expect(await value('of=input')).toEqual({});
    expect(await value('path=done')).toBe('no');
    expect(await value('path=question&of=answer')).toBe('no');
    expect(await value('path=question&of=prompt')).toBe('Shall it go on?');
    expect(await value('of=input&at=1')).toEqual({});
    const refused = await served.ask(`/v1/runs/${run}/value?path=nobody`);
    expectProblem(refused, 404, 'request.not_found');
    expect(refused.json['action'].detail).toContain(`GET /v1/runs/${run}`);
    expectProblem(await served.ask(`/v1/runs/${run}/value?of=colour`), 422, 'request.invalid');
  });

  it('gives its events as a page, as lines, and of some types', async () => {
    const served = await serve({ files: ALL });
    const { run } = await served.run('hello');
    const page = await served.ask(`/v1/runs/${run}/events?limit=2`);
    expect(page.json.events.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2]);
    expect(page.json.next).toBe(2);
    const rest = await served.ask(`/v1/runs/${run}/events?after=2`);
    expect(rest.json.events.map(({ seq }: { seq: number }) => seq)).toEqual([3, 4, 5]);
    expect(rest.json).not.toHaveProperty('next');
    const some = await served.ask(`/v1/runs/${run}/events?type=run:started,run:completed`);
    expect(some.json.events.map(({ seq }: { seq: number }) => seq)).toEqual([1, 5]);
    const lines = await served.ask(`/v1/runs/${run}/events`, {
      headers: { accept: 'application/jsonl' },
    });
    expect(lines.headers.get('content-type')).toBe('application/jsonl');
    expect(
      lines.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).seq),
    ).toEqual([1, 2, 3, 4, 5]);
    expectProblem(await served.ask(`/v1/runs/${run}/events?limit=10001`), 422, 'request.invalid');
    expectProblem(await served.ask(`/v1/runs/${run}/events?after=-1`), 422, 'request.invalid');
  });
});

describe('moving a run on', () => {
  it('offers moves that are accepted as they stand', async () => {
    const served = await serve({ files: ALL });
    const added: Record<string, unknown> = { value: 'yes', from: 'hi', acceptDrift: true };
    for (const workflow of ['hello', 'ask', 'fails', 'parks', 'waits', 'backs_off'])
      for (const wanted of ['answer', 'resume', 'retry', 'cancel']) {
        const run =
          workflow === 'backs_off'
            ? (await served.ask('/v1/runs', { json: { workflow } })).json
            : await served.run(workflow);
        const move = run.nextMoves.find((each: { move: string }) => each.move === wanted);
        if (move === undefined) continue;
        const needs = Object.fromEntries(
          (move.needs ?? []).map((name: string) => [name, added[name]]),
        );
        const answer = await served.ask(move.path, {
          method: move.method,
          json: { ...move.body, ...needs },
        });
        expect([workflow, wanted, answer.status]).toEqual([
          workflow,
          wanted,
          expect.toBeOneOf([200, 202]),
        ]);
      }
  });

  it('resumes a failed run after its file was fixed, and says what has changed', async () => {
    const served = await serve({ files: { 'two.yaml': two('first', 'exit 1') } });
    const { run, nextMoves, attention } = await served.run('two');
    expect(attention).toBe('failed');
    expect(nextMoves.map(({ move }: { move: string }) => move)).toEqual(['resume', 'cancel']);
    writeFileSync(join(served.folder, 'two.yaml'), two('first', 'echo {}'));
    expect((await served.ask(`/v1/runs/${run}/drift`)).json).toEqual({
      changed: [{ node: 'b', pointer: '/nodes/1', isFinished: false }],
      needsAccept: false,
    });
    writeFileSync(join(served.folder, 'two.yaml'), two('second', 'echo {}'));
    const drifted = await served.ask(`/v1/runs/${run}/resume`, { json: {} });
    expectProblem(drifted, 409, 'run.drifted');
    expect(drifted.json.changed).toContainEqual({
      node: 'a',
      pointer: '/nodes/0',
      isFinished: true,
    });
    expect((await served.ask(`/v1/runs/${run}`)).json.nextMoves[0]).toMatchObject({
      move: 'resume',
      needs: ['acceptDrift'],
    });
    const resumed = await served.ask(`/v1/runs/${run}/resume`, {
      json: { acceptDrift: true },
      headers: { prefer: 'wait=60' },
    });
    expect([resumed.status, resumed.json.status]).toEqual([200, 'completed']);
    expectProblem(
      await served.ask(`/v1/runs/${run}/resume`, { json: {} }),
      409,
      'run.already_ended',
    );
    const from = await served.ask(`/v1/runs/${run}/resume`, {
      json: { from: 'b' },
      headers: { prefer: 'wait=60' },
    });
    expect([from.status, from.json.status]).toEqual([200, 'completed']);
    const nowhere = await served.ask(`/v1/runs/${run}/resume`, { json: { from: 'nobody' } });
    expectProblem(nowhere, 422, 'validation.input');
    const audit = (await served.ask(`/v1/runs/${run}/audit`)).json;
    expect(audit).toContainEqual(expect.objectContaining({ who: 'http:local', what: 'retry' }));
  });

  it('does not resume what runs, nor what it does not serve', async () => {
    const served = await serve({ files: ALL });
    const { run } = (
      await served.ask('/v1/runs', { json: { workflow: 'slow', input: { seconds: '100' } } })
    ).json;
    expectProblem(
      await served.ask(`/v1/runs/${run}/resume`, { json: {} }),
      409,
      'run.already_active',
    );
    const failed = (await served.run('fails')).run;
    await served.stop();
    const other = await serve({ folder: served.folder, args: ['hello.yaml'] });
    expectProblem(
      await other.ask(`/v1/runs/${failed}/resume`, { json: {} }),
      409,
      'run.resume_mismatch',
    );
    expect(
      (await other.ask(`/v1/runs/${failed}`)).json.nextMoves.map(
        ({ move }: { move: string }) => move,
      ),
    ).toEqual(['cancel']);
    const cancelled = await other.ask(`/v1/runs/${failed}/cancel`, {
      json: { reason: 'not needed' },
    });
    expect([cancelled.status, cancelled.json.status]).toEqual([200, 'cancelled']);
  });

  it('takes one answer for a question', async () => {
    const served = await serve({ files: ALL });
    const { run } = await served.run('ask');
    const answer = (json: unknown) => served.ask(`/v1/runs/${run}/answers`, { json });
    expectProblem(await answer({ value: 'maybe' }), 422, 'validation.input');
    expectProblem(await answer({ gate: 'nobody', value: 'yes' }), 422, 'validation.input');
    expectProblem(await answer({}), 422, 'request.invalid');
    const taken = await answer({ gate: 'question', value: 'yes' });
    expect([taken.status, taken.json]).toEqual([
      200,
      { gate: 'question', value: 'yes', by: 'http:local', at: expect.any(String) },
    ]);
    const late = await answer({ gate: 'question', value: 'yes' });
    expect(late.status).toBe(409);
    expect(['gate.closed', 'run.already_ended']).toContain(late.json.kind);
    expectProblem(await answer({ value: 'yes' }), 409, 'run.already_ended');
  });

  it('refuses an answer to a question that was answered while the run continues', async () => {
    const served = await serve({ files: { 'two.yaml': TWO_GATES } });
    const { run } = await served.run('gates');
    const answer = (json: unknown) => served.ask(`/v1/runs/${run}/answers`, { json });
    expect((await answer({ gate: 'one', value: 'yes' })).status).toBe(200);
    expectProblem(await answer({ gate: 'one', value: 'yes' }), 409, 'gate.closed');
    expect((await answer({ value: 'yes' })).json.gate).toBe('both[two]/two');
  });

  const gate = (name: string, timeout: string) => `
workflow: {name: ${name}, entry_point: q}
nodes: [{name: q, type: human_gate, prompt: "${name}?", ${timeout} options: [{label: Yes, value: yes}]}]
`;

  it('lists questions, those with the oldest deadline first', async () => {
    const served = await serve({
      files: {
        'a.yaml': gate('never', ''),
        'b.yaml': gate('late', 'timeout: 2h,'),
        'c.yaml': gate('soon', 'timeout: 1h,'),
      },
    });
    for (const name of ['never', 'late', 'soon']) await served.run(name);
    const all = (await served.ask('/v1/gates')).json.gates;
    expect(all.map(({ workflow }: { workflow: string }) => workflow)).toEqual([
      'soon',
      'late',
      'never',
    ]);
    expect(all[0]).toMatchObject({
      gate: 'q',
      prompt: 'soon?',
      options: ['yes'],
      deadline: expect.any(String),
    });
    const first = (await served.ask('/v1/gates?limit=2')).json;
    const next = (await served.ask(`/v1/gates?limit=2&cursor=${first.next}`)).json;
    expect(next.gates.map(({ workflow }: { workflow: string }) => workflow)).toEqual(['never']);
    expect((await served.ask('/v1/gates?workflow=late')).json.gates).toHaveLength(1);
  });

  it('lists those without a deadline in the order in which they were asked', async () => {
    const served = await serve({ files: { 'a.yaml': gate('ask', '') } });
    const asked: string[] = [];
    for (let count = 0; count < 8; count++) {
      asked.push((await served.run('ask')).run);
      // ids of runs are random, so the time alone tells these apart
      for (const nowMs = Date.now(); Date.now() === nowMs;);
    }
    const { gates } = (await served.ask('/v1/gates')).json;
    expect(gates.map(({ run }: { run: string }) => run)).toEqual(asked);
  });

  it('lists each question once over its pages, also when one was answered meanwhile', async () => {
    const served = await serve({
      files: { 'a.yaml': gate('ask', ''), 'b.yaml': gate('hour', 'timeout: 1h,') },
    });
    for (const name of ['ask', 'hour', 'ask', 'hour', 'ask', 'hour']) await served.run(name);
    const before = await served.ask('/v1/gates');
    const runsOf = (gates: readonly { readonly run: string }[]) => gates.map(({ run }) => run);
    const order = runsOf(before.json.gates);
    const names = before.json.gates.map(({ workflow }: { workflow: string }) => workflow);
    expect(names).toEqual(['hour', 'hour', 'hour', 'ask', 'ask', 'ask']);
    const seen: string[] = [];
    let page = (await served.ask('/v1/gates?limit=2')).json;
    for (;;) {
      seen.push(...runsOf(page.gates));
      // the question that the second page begins after is gone
      const answered = seen.length === 2 ? seen[1] : undefined;
      if (answered !== undefined)
        await served.ask(`/v1/runs/${answered}/answers`, { json: { value: 'yes' } });
      if (page.next === undefined) break;
      page = (await served.ask(`/v1/gates?limit=2&cursor=${page.next}`)).json;
    }
    expect(seen).toEqual(order);
  });

  it('cancels once, and again without a change', async () => {
    const served = await serve({ files: ALL });
    const { run } = await served.run('ask');
    const cancel = (json: unknown) => served.ask(`/v1/runs/${run}/cancel`, { json });
    const first = await cancel({ reason: 'no longer needed' });
    expect([first.status, first.json.status]).toEqual([200, 'cancelled']);
    expect((await cancel({})).status).toBe(200);
    const audit = (await served.ask(`/v1/runs/${run}/audit`)).json;
    expect(audit).toMatchObject([
      { who: 'http:local', what: 'cancel', detail: 'ended the run: no longer needed' },
    ]);
    const done = (await served.run('hello')).run;
    expectProblem(
      await served.ask(`/v1/runs/${done}/cancel`, { json: {} }),
      409,
      'run.already_ended',
    );
  });

  it('says why a person should look', async () => {
    const served = await serve({ files: ALL });
    const attention = async (workflow: string) => (await served.run(workflow)).attention;
    expect(await attention('hello')).toBe('none');
    expect(await attention('fails')).toBe('failed');
    expect(await attention('ask')).toBe('waiting_person');
    expect(await attention('waits')).toBe('waiting_person');
    expect(await attention('parks')).toBe('waiting_time');
    const { run } = (await served.ask('/v1/runs', { json: { workflow: 'backs_off' } })).json;
    await expect
      .poll(async () => (await served.ask(`/v1/runs/${run}`)).json.attention)
      .toBe('retrying');
    const listed = (await served.ask('/v1/runs?attention=retrying')).json.runs;
    expect(listed.map((row: { run: string }) => row.run)).toEqual([run]);
  });
});

describe('kinds', () => {
  it('are explained as by the command', async () => {
    const served = await serve({ files: ALL });
    const all = await served.ask('/v1/catalog');
    expect(all.json).toEqual(command(served, 'explain', '--list'));
    const one = await served.ask('/v1/catalog/provider.rate_limited');
    expect(one.json).toEqual(command(served, 'explain', 'provider.rate_limited'));
    expectProblem(await served.ask('/v1/catalog/provider.nothing'), 404, 'request.not_found');
    const far = await served.ask('/v1/catalog/nobody.knows');
    expect(far.json['action'].detail).toContain('GET /v1/catalog');
  });

  it('are found for failures, one or a list', async () => {
    const served = await serve({ files: ALL });
    const failure = { provider: 'openai', status: 429, headers: { 'retry-after': '2' } };
    const one = await served.ask('/v1/classify', { json: failure });
    expect(one.json).toMatchObject({ kind: 'provider.rate_limited', retryAfterMs: 2000 });
    const list = await served.ask('/v1/classify', { json: [failure, { id: 7, status: 401 }] });
    expect(list.json).toMatchObject([
      { kind: 'provider.rate_limited' },
      { id: 7, kind: 'provider.auth' },
    ]);
    expect((await served.ask('/v1/classify', { json: {} })).status).toBe(422);
    const text = await served.ask('/v1/classify', { json: 'x' });
    expect(text.json['detail']).toContain('expected object or array');
    const second = await served.ask('/v1/classify', { json: [failure, { id: 3 }] });
    expect([second.status, second.json.detail]).toEqual([
      422,
      'The JSON at /1 describes no failure: it needs a status, a body or a transport',
    ]);
    const mixed = await served.ask('/v1/classify', { json: [failure, 3] });
    expect(mixed.json['detail']).toMatch(/\b1 is not valid: expected object/);
  });
});

function two(first: string, second: string): string {
  return `
workflow: {name: two, entry_point: a}
nodes:
  - {name: a, type: set, value: ${first}, routes: [{to: b}]}
  - {name: b, type: script, command: bash, args: ["-c", "${second}"]}
`;
}

const TWO_GATES = `
workflow: {name: gates, entry_point: both}
parallel: [{name: both, agents: [one, two]}]
nodes:
  - {name: one, type: human_gate, prompt: "1?", options: [{label: Yes, value: yes}]}
  - {name: two, type: human_gate, prompt: "2?", options: [{label: Yes, value: yes}]}
`;
