/** Streams: nothing lost and nothing doubled, however often they are cut; text while it comes; ends. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LAUNCHER, runErrand } from '../../src/cli/run-errand.cases.ts';
import { serveWarm as serve } from './served.ts';
import { follow, readAll, readSome, type SeenEvent } from './sse.ts';
import { ALL } from './workflows.ts';

const ids = (events: readonly SeenEvent[]): number[] => events.flatMap(({ id }) => id ?? []);

describe('the stream of a run', () => {
  it('has the headers that proxies need, every stored event with its number, and an end', async () => {
    const served = await serve({ files: ALL });
    const { run, seq } = await served.run('hello');
    const reading = await follow(served, `/v1/runs/${run}/events`);
    expect(reading.headers.get('content-type')).toBe('text/event-stream');
    expect(reading.headers.get('x-accel-buffering')).toBe('no');
    expect(reading.headers.get('cache-control')).toContain('no-transform');
    const seen = await readAll(reading);
    expect(reading.other).toEqual(['retry: 1000']);
    expect(ids(seen)).toEqual([1, 2, 3, 4, 5]);
    expect(seen.map(({ event }) => event).at(-2)).toBe('run:completed');
    expect(seen.at(-1)).toEqual({ event: 'end', data: { seq, status: 'completed' } });
    const page = (await served.ask(`/v1/runs/${run}/events`)).json.events;
    expect(seen.slice(0, -1).map(({ data }) => data)).toEqual(page);
  });

  it('loses and doubles nothing when it is cut at every event boundary', async () => {
    const served = await serve({ files: ALL });
    const { run, seq } = await served.run('talk', { answers: { ready: 'yes' } });
    for (let cut = 0; cut <= seq; cut++) {
      const before = await readSome(await follow(served, `/v1/runs/${run}/events`), cut);
      const reading = await follow(served, `/v1/runs/${run}/events`, {
        'last-event-id': String(before.at(-1)?.id ?? 0),
      });
      const after = reading.status === 204 ? [] : await readAll(reading);
      expect(ids([...before, ...after])).toEqual(Array.from({ length: seq }, (_, at) => at + 1));
    }
  });

  it('has what comes for a reader who names an event that is not there yet', async () => {
    const served = await serve({ files: ALL });
    const { run, seq } = await served.run('ask');
    const reading = await follow(served, `/v1/runs/${run}/events`, { 'last-event-id': '1000' });
    await served.ask(`/v1/runs/${run}/answers`, { json: { value: 'yes' } });
    const seen = await readAll(reading);
    expect(ids(seen)[0]).toBe(seq + 1);
    expect(seen.at(-1)).toMatchObject({ event: 'end', data: { status: 'completed' } });
  });

  it('loses and doubles nothing when the run continues meanwhile', async () => {
    const served = await serve({ files: ALL });
    const { run } = await served.run('ask');
    const seen: SeenEvent[] = [];
    let answered: Promise<unknown> | undefined;
    for (let last = 0; ;) {
      const reading = await follow(served, `/v1/runs/${run}/events`, {
        'last-event-id': String(last),
      });
      if (reading.status === 204) break;
      // the question is answered while nobody listens, then one event is taken at a time
      if (last === 4) answered = served.ask(`/v1/runs/${run}/answers`, { json: { value: 'yes' } });
      const [next] = await readSome(reading, 1);
      if (next === undefined) break;
      seen.push(next);
      last = next.id ?? last;
    }
    await answered;
    const { seq } = (await served.ask(`/v1/runs/${run}`)).json;
    expect(ids(seen)).toEqual(Array.from({ length: seq }, (_, at) => at + 1));
  });

  it('begins after a number, and a header wins over it', async () => {
    const served = await serve({ files: ALL });
    const { run } = await served.run('hello');
    expect(ids(await readAll(await follow(served, `/v1/runs/${run}/events?after=3`)))).toEqual([
      4, 5,
    ]);
    const both = await follow(served, `/v1/runs/${run}/events?after=1`, { 'last-event-id': '4' });
    expect(ids(await readAll(both))).toEqual([5]);
    const some = await follow(served, `/v1/runs/${run}/events?type=node:started`);
    expect((await readAll(some)).map(({ event }) => event)).toEqual(['node:started', 'end']);
    expect((await follow(served, `/v1/runs/${run}/events`, { 'last-event-id': 'x' })).status).toBe(
      422,
    );
  });

  it('is over for who has its end, until a resume adds events', async () => {
    const served = await serve({ files: ALL });
    const { run, seq } = await served.run('hello');
    for (const after of [seq, seq + 7])
      expect((await follow(served, `/v1/runs/${run}/events?after=${after}`)).status).toBe(204);
    await served.ask(`/v1/runs/${run}/resume`, {
      json: { from: 'hi' },
      headers: { prefer: 'wait=30' },
    });
    const seen = await readAll(await follow(served, `/v1/runs/${run}/events?after=${seq}`));
    expect(seen[0]).toMatchObject({ id: seq + 1, event: 'run:resumed' });
    expect(seen.at(-1)).toMatchObject({ event: 'end' });
  });

  it('stays open at a pause', async () => {
    const served = await serve({ files: ALL });
    const { run } = await served.run('ask');
    const reading = await follow(served, `/v1/runs/${run}/events`);
    const seen: SeenEvent[] = [];
    for await (const event of reading.events) {
      seen.push(event);
      if (event.event === 'run:paused')
        await served.ask(`/v1/runs/${run}/answers`, { json: { value: 'yes' } });
    }
    expect(seen.map(({ event }) => event)).toContain('gate:answered');
    expect(seen.at(-1)).toMatchObject({ event: 'end', data: { status: 'completed' } });
  });

  it('has the text of a model while it comes, and says when it no longer counts', async () => {
    const served = await serve({ files: ALL });
    const { run } = await served.run('talk');
    const reading = await follow(served, `/v1/runs/${run}/events`);
    const seen: SeenEvent[] = [];
    for await (const event of reading.events) {
      seen.push(event);
      if (event.event === 'run:paused')
        await served.ask(`/v1/runs/${run}/answers`, { json: { value: 'yes' } });
    }
    const reported = seen.filter(({ event }) => event.startsWith('chunk'));
    for (const chunk of reported) expect(chunk).not.toHaveProperty('id');
    const texts = reported.map(({ event, data }) => [
      event,
      data['path'],
      data['attempt'],
      data['text'],
    ]);
    const last = texts.findIndex(([event]) => event === 'chunk.retracted');
    // a reader may lose text, but has no text that was taken back
    expect(
      texts
        .slice(last + 1)
        .map(([, , , text]) => text)
        .join(''),
    ).toBe('One, two, three');
    const requested = seen.findIndex(({ event }) => event === 'effect:requested');
    const first = seen.findIndex(({ event }) => event === 'chunk');
    const succeeded = seen.findIndex(({ event }) => event === 'effect:succeeded');
    expect([requested < first, first < succeeded]).toEqual([true, true]);
    expect(seen.at(-1)).toMatchObject({ event: 'end', data: { status: 'completed' } });
  });

  it('follows a run that a command executes, with everything that it stores', async () => {
    const served = await serve({ files: ALL });
    const env = { PATH: process.env['PATH'] ?? '' };
    const child = spawn(
      process.execPath,
      [LAUNCHER, 'run', 'slow.yaml', '--json', '-i', 'seconds=1'],
      {
        cwd: served.folder,
        env,
      },
    );
    let printed = '';
    const ended = new Promise((resolve) => child.once('close', resolve));
    const run = await new Promise<string>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (part: string) => {
        printed += part;
        const [line, more] = printed.split('\n');
        if (more !== undefined) resolve((JSON.parse(line ?? '') as { run: string }).run);
      });
    });
    const seen = await readAll(await follow(served, `/v1/runs/${run}/events`));
    await ended;
    const lines = printed.trim().split('\n');
    expect(ids(seen)).toEqual(lines.map((_, at) => at + 1));
  });

  it('ends with a problem document when the store is away', async () => {
    const served = await serve({ files: ALL });
    const { run } = await served.run('ask');
    const gone = await served.ask(`/v1/runs/${run}x/events`, {
      headers: { accept: 'text/event-stream' },
    });
    expect([gone.status, gone.json.kind]).toEqual([404, 'run.not_found']);
  });

  it('says goodbye when the server stops', async () => {
    const served = await serve({ files: ALL });
    const { run } = await served.run('ask');
    const [one, all] = [
      await follow(served, `/v1/runs/${run}/events`),
      await follow(served, '/v1/events'),
    ];
    const both = Promise.all([readAll(one), readAll(all)]);
    expect(await served.stop()).toBe(0);
    const [ofRun, ofAll] = await both;
    expect(ofRun.at(-1)).toEqual({ event: 'bye', data: {} });
    expect(ofAll.at(-1)).toEqual({ event: 'bye', data: {} });
  });
});

describe('the stream of all runs', () => {
  it('says which run has changed, here and in other processes', async () => {
    const served = await serve({ files: ALL });
    const reading = await follow(served, '/v1/events');
    const seen: SeenEvent[] = [];
    const reader = (async () => {
      for await (const event of reading.events) seen.push(event);
    })();
    const here = await served.run('hello');
    await expect
      .poll(() => seen.at(-1)?.data)
      .toMatchObject({
        run: here.run,
        workflow: 'hello',
        seq: 5,
        status: 'completed',
        attention: 'none',
      });
    const { stdout } = runErrand(['run', join(served.folder, 'ask.yaml'), '--format', 'json'], {
      env: { ERRAND_HOME: join(served.folder, '.errand') },
    });
    const { run } = JSON.parse(stdout) as { run: string };
    await expect
      .poll(() => seen.findLast(({ data }) => data['run'] === run)?.data)
      .toMatchObject({ workflow: 'ask', status: 'paused', attention: 'waiting_person' });
    expect(new Set(seen.map(({ event }) => event))).toEqual(new Set(['run']));
    expect(seen.every((event) => !('id' in event))).toBe(true);
    reading.close();
    await reader;
  });
});
