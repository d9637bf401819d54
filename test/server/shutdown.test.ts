/** A server that stops: effects end, runs stay resumable, the exit is 0; a second signal ends it at once. */
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serve } from './served.ts';
import { ALL } from './workflows.ts';

/** Says that it has begun, then takes its time, then says that it is done. */
const WORK = `
workflow: {name: work, entry_point: a, input: {seconds: {type: string}}}
nodes:
  - name: a
    type: script
    command: bash
    args: ["-c", "touch begun; sleep {{ workflow.input.seconds }}; touch done; echo {}"]
    routes: [{to: b}]
  - {name: b, type: script, command: bash, args: ["-c", "touch next; echo {}"]}
`;

describe('a server that is stopped', () => {
  it('answers no more, ends with 0, and leaves its runs resumable', async () => {
    const served = await serve({ files: ALL });
    const { run } = (
      await served.ask('/v1/runs', { json: { workflow: 'slow', input: { seconds: '100' } } })
    ).json;
    expect(await served.stop()).toBe(0);
    expect(served.stderr).toContain('stopped');
    await expect(served.ask('/health')).rejects.toThrow();
    const again = await serve({ folder: served.folder, args: ['--read-only'] });
    const { json } = await again.ask(`/v1/runs/${run}`);
    expect(json.status).toBe('interrupted');
  });

  it('lets effects under way end, begins nothing more, and the next server continues', async () => {
    const served = await serve({ files: { 'work.yaml': WORK } });
    const started = { json: { workflow: 'work', input: { seconds: '1' } } };
    const { run } = (await served.ask('/v1/runs', started)).json;
    const has = (name: string) => existsSync(join(served.folder, name));
    await expect.poll(() => has('begun')).toBe(true);
    expect(await served.stop()).toBe(0);
    expect([has('done'), has('next')]).toEqual([true, false]);
    const again = await serve({ folder: served.folder });
    await expect
      .poll(async () => (await again.ask(`/v1/runs/${run}`)).json.status)
      .toBe('completed');
    const { events } = (await again.ask(`/v1/runs/${run}/events?type=effect:requested`)).json;
    expect(events.map(({ node }: { node: string }) => node)).toEqual(['a', 'b']);
    const lines = readFileSync(join(served.folder, '.errand/runs', run, 'events.jsonl'), 'utf8');
    const seqs = lines
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { seq: number }).seq);
    expect(seqs).toEqual(seqs.map((_, at) => at + 1));
    const { seq } = (await again.ask(`/v1/runs/${run}`)).json;
    expect(seqs.at(-1)).toBe(seq);
  });

  it('does not wait for a reader that stands still', async () => {
    const served = await serve({ files: ALL });
    const { run } = await served.run('ask');
    const socket = connect(served.port, '127.0.0.1');
    const head = `GET /v1/runs/${run}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream`;
    socket.write(`${head}\r\nAuthorization: Bearer ${served.token}\r\n\r\n`);
    await new Promise((resolve) => socket.once('readable', resolve));
    expect(await served.stop()).toBe(0);
    socket.destroy();
  });

  it('that was killed leaves its runs to the next one', async () => {
    const served = await serve({ files: ALL });
    const { run } = (await served.ask('/v1/runs', { json: { workflow: 'slow' } })).json;
    served.child.kill('SIGKILL');
    await served.ended;
    const again = await serve({ folder: served.folder });
    await expect
      .poll(async () => (await again.ask(`/v1/runs/${run}`)).json.status)
      .toBe('completed');
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('ends at once with a second %s, and blames nobody', async (signal, code) => {
    const served = await serve({ files: { 'work.yaml': WORK } });
    await served.ask('/v1/runs', { json: { workflow: 'work', input: { seconds: '100' } } });
    await expect.poll(() => existsSync(join(served.folder, 'begun'))).toBe(true);
    served.child.kill(signal);
    await expect.poll(() => served.stderr).toContain('stopping');
    served.child.kill(signal);
    expect(await served.ended).toBe(code);
    expect(`${served.stdout}${served.stderr}`).not.toContain('extension.lifecycle');
    expect(existsSync(join(served.folder, 'done'))).toBe(false);
  });
});
