/** Facts that the pages need, as the API gives them: where a run failed, which input was refused, what an answer looks like. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BROKEN, DOUBT, FORM, impatient, REVIEW } from '../browser/workflows.ts';
import { serve } from './served.ts';

/** Its second step fails; the first has a secret, one that is shown nowhere. */
const KEYED = `workflow: { name: keyed, entry_point: fetch, on_unhandled: fail }
nodes:
  - { name: fetch, type: script, command: 'true', env: { KEY: '\${FETCH_KEY}' }, routes: [{ to: stop }] }
  - { name: stop, type: terminate, status: failed, reason: Stopped }
`;

describe('facts for pages', () => {
  it('say which input was refused', async () => {
    const served = await serve({ files: { 'form.yaml': FORM } });
    const refused = async (input: object): Promise<unknown> =>
      (await served.ask('/v1/runs', { json: { workflow: 'form', input } })).json;
    expect(await refused({})).toMatchObject({ kind: 'validation.input', pointer: '/input/ticket' });
    expect(await refused({ ticket: 'hi', pages: 'many' })).toMatchObject({
      pointer: '/input/pages',
    });
    expect(await refused({ ticket: 'hi', 'no/such': 1 })).toMatchObject({
      pointer: '/input/no~1such',
    });
  });

  it('say where a run failed, in the list too, and again after it was resumed', async () => {
    const served = await serve({ files: { 'broken.yaml': BROKEN } });
    const { run } = await served.run('broken');
    const listed = async (): Promise<unknown> => (await served.ask('/v1/runs')).json.runs;
    expect(await listed()).toMatchObject([{ run, status: 'failed', where: 'sum_up' }]);
    await served.ask(`/v1/runs/${run}/resume`, { json: {}, headers: { prefer: 'wait=30' } });
    expect(await listed()).toMatchObject([{ run, status: 'failed', where: 'sum_up' }]);
  });

  it('say which failure of a model a run waits with, and find it by that', async () => {
    const served = await serve({
      files: {
        'limited.yaml': impatient('limited-3600', 3600),
        'busy.yaml': impatient('limited-60', 60),
      },
    });
    const listed = async (query: string): Promise<unknown> =>
      (await served.ask(`/v1/runs?${query}`)).json.runs;
    const { run, nextMoves } = await served.run('limited-3600');
    expect(nextMoves).toMatchObject([
      { move: 'resume', body: { now: true }, command: `errand resume ${run} --now` },
      { move: 'cancel' },
    ]);
    const parked = {
      run,
      status: 'paused',
      attention: 'retrying',
      waiting: { reason: 'time', path: 'say', error: { kind: 'provider.rate_limited' } },
    };
    expect(await listed('kind=provider.*')).toMatchObject([parked]);
    expect(await listed('attention=retrying')).toMatchObject([parked]);
    expect(await listed('kind=provider.auth')).toEqual([]);
    // short enough to be waited out, so the run stays under way
    const { run: busy } = (await served.ask('/v1/runs', { json: { workflow: 'limited-60' } })).json;
    await expect
      .poll(async () => (await served.ask(`/v1/runs/${busy}`)).json.attention)
      .toBe('retrying');
    const { nextTry } = (await served.ask(`/v1/runs/${busy}/moves`)).json;
    expect(nextTry.path).toBe('say');
    expect(Date.parse(nextTry.at)).toBeGreaterThan(Date.now());
    const error = { kind: 'provider.rate_limited', message: expect.any(String) };
    expect(await listed('status=running')).toMatchObject([
      { run: busy, attention: 'retrying', retry: { ...nextTry, error } },
    ]);
  });

  it('say what the options of a question are called, and what an edit has to be', async () => {
    const served = await serve({ files: { 'review.yaml': REVIEW, 'doubt.yaml': DOUBT } });
    await served.run('review');
    await served.run('doubt');
    const { gates } = (await served.ask('/v1/gates')).json;
    const byWorkflow = new Map(gates.map((gate: { workflow: string }) => [gate.workflow, gate]));
    expect(byWorkflow.get('review')).toMatchObject({
      labels: [
        { value: 'publish', label: 'Publish it' },
        { value: 'back', label: 'Send it back' },
        { value: 'drop', label: 'Drop it' },
      ],
      promptFor: [{ value: 'back', name: 'reason' }],
    });
    expect(byWorkflow.get('review')).not.toHaveProperty('schema');
    expect(byWorkflow.get('doubt')).toMatchObject({
      schema: { properties: { label: { enum: ['refund', 'bug'] }, score: { type: 'integer' } } },
      error: { kind: 'internal.script_error' },
    });
  });

  it('say what a text that is not saved would change for a run', async () => {
    const served = await serve({ files: { 'broken.yaml': BROKEN } });
    const { run } = await served.run('broken');
    const drift = (text: string) =>
      served.ask(`/v1/runs/${run}/drift`, {
        method: 'POST',
        body: text,
        headers: { 'content-type': 'application/yaml' },
      });
    expect((await drift(BROKEN)).json).toEqual({ changed: [], needsAccept: false });
    const mended = await drift(
      BROKEN.replace('apologise.output.missing.field', 'apologise.output'),
    );
    expect(mended.json).toMatchObject({
      changed: [{ node: 'sum_up', isFinished: false }],
      needsAccept: false,
    });
    const drifted = await drift(BROKEN.replace('value: Sorry', 'value: So sorry'));
    expect(drifted.json).toMatchObject({
      changed: [{ node: 'apologise', isFinished: true }],
      needsAccept: true,
    });
    expect(await drift('workflow: {name: broken}')).toMatchObject({
      status: 422,
      json: { kind: 'validation.workflow' },
    });
    // nothing was written
    expect((await served.ask(`/v1/runs/${run}/drift`)).json).toEqual({
      changed: [],
      needsAccept: false,
    });
  });

  it('call a run unchanged whose file has secrets, which no run stores', async () => {
    const env = { FETCH_KEY: 'Xk3jKd9sK2aQw7ZxP', OTHER_KEY: 'Ab4kLe8tM3bRx6YwQ' };
    const served = await serve({ files: { 'keyed.yaml': KEYED }, env });
    const { run, nextMoves } = await served.run('keyed');
    expect(nextMoves[0]).toMatchObject({ move: 'resume', command: `errand resume ${run}` });
    expect(nextMoves[0].needs).toBeUndefined();
    const drift = async (text?: string): Promise<unknown> =>
      (
        await served.ask(`/v1/runs/${run}/drift`, {
          ...(text === undefined ? {} : { method: 'POST', body: text }),
          ...(text === undefined ? {} : { headers: { 'content-type': 'application/yaml' } }),
        })
      ).json;
    const same = { changed: [], needsAccept: false };
    expect(await drift()).toEqual(same);
    expect(await drift(KEYED)).toEqual(same);
    // a key that was changed for another is no drift
    expect(await drift(KEYED.replace('FETCH_KEY', 'OTHER_KEY'))).toEqual(same);
    expect(await drift(KEYED.replace("command: 'true'", 'command: ls'))).toEqual({
      changed: [{ node: 'fetch', pointer: '/nodes/0', isFinished: true }],
      needsAccept: true,
    });
    writeFileSync(
      join(served.folder, 'keyed.yaml'),
      KEYED.replace('reason: Stopped', 'reason: Ended'),
    );
    await expect
      .poll(() => drift())
      .toEqual({
        changed: [{ node: 'stop', pointer: '/nodes/1', isFinished: false }],
        needsAccept: false,
      });
  });
});
