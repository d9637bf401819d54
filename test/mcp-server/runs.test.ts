/** Runs by the tools of an MCP client, from the start to the end: both generations, over stdio and HTTP. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { embedded, ERAS, folderWith, overStdio, type Connected } from './clients.ts';
import { ALL, ASK, FAILS } from './workflows.ts';

const PLACES = ERAS.flatMap((era) =>
  (['http', 'stdio'] as const).map((transport) => ({ era, transport })),
);

describe.each(PLACES)('$era over $transport', ({ era, transport }) => {
  let folder: string;
  let agent: Connected;

  beforeAll(async () => {
    folder = folderWith(ALL);
    const isHttp = transport === 'http';
    agent = isHttp ? await embedded(folder).connect({ era }) : await overStdio(folder, { era });
  });

  test('speaks that generation', () => {
    const version = agent.client.getNegotiatedProtocolVersion();
    expect(version).toBe(era === 'modern' ? '2026-07-28' : '2025-11-25');
  });

  test('a start gives what `errand run` prints, and what can be done next', async () => {
    const { structuredContent: run, content, isError } = await agent.call('hello', { who: 'Ada' });
    expect(run).toEqual({
      run: expect.any(String),
      workflow: 'hello',
      status: 'completed',
      output: 'Hello Ada',
      costs: { totalUsdMicros: 0, failedUsdMicros: 0, attempts: [] },
      nextMoves: [
        {
          move: 'retry',
          tool: 'resume_run',
          arguments: { run: run.run },
          needs: ['from'],
          command: `errand retry ${run.run} --from NODE`,
        },
      ],
    });
    expect([content[0].text, isError]).toEqual([expect.stringContaining('Hello Ada'), undefined]);
    const retried = await agent.data('resume_run', { ...run.nextMoves[0].arguments, from: 'hi' });
    expect([retried.run, retried.status]).toEqual([run.run, 'completed']);
  });

  test('a run that takes longer than the wait is running, and is read later', async () => {
    const mark = join(folder, 'go-1');
    const started = await agent.call('slow', { mark, _wait_seconds: 0 });
    const { run, status } = started.structuredContent;
    expect([status, started.isError]).toEqual(['running', undefined]);
    writeFileSync(mark, '');
    const rested = await agent.data('get_run', { run, wait_seconds: 50 });
    expect(rested).toMatchObject({ run, status: 'completed', output: 'done' });
    expect(await agent.data('get_run', { run, path: '$input' })).toEqual({ value: { mark } });
  });

  test('a question is shown with its options, and answered', async () => {
    const asked = await agent.call('ask');
    const { run, status, waiting, nextMoves } = asked.structuredContent;
    expect([status, waiting.options, asked.isError]).toEqual(['paused', ['yes', 'no'], undefined]);
    const { tool, arguments: given, needs } = nextMoves[0];
    const asking = { run, gate: 'question', opening: waiting.opening };
    expect([tool, given, needs]).toEqual(['answer_question', asking, ['value']]);
    const wrong = await agent.call(tool, { ...given, value: 'perhaps' });
    expect([wrong.isError, wrong.structuredContent.error.kind]).toEqual([true, 'validation.input']);
    const answered = await agent.data(tool, { ...given, value: 'no' });
    expect(answered).toMatchObject({ run, status: 'completed', output: 'no' });
    const late = await agent.call(tool, { ...given, value: 'yes' });
    expect([late.isError, late.structuredContent.error.kind]).toEqual([true, 'run.already_ended']);
  });

  test('a failure is explained, repaired and resumed, and the model sees its view alone', async () => {
    const failed = await agent.call('fails');
    const { run, error } = failed.structuredContent;
    expect([failed.isError, error.kind]).toEqual([true, 'order.missing']);
    const [{ text }] = failed.content;
    expect(text).toBe(
      `Run ${run} of fails: failed.\norder.missing: No such order\nA retry alone cannot help.\nTo resume it: resume_run {"run":"${run}"}.\nTo cancel it: cancel_run {"run":"${run}"}.`,
    );
    const explained = await agent.call('explain_failure', { run });
    expect(explained.structuredContent).toMatchObject({
      run,
      error: { kind: 'order.missing' },
      life: [{ kind: 'order.missing', status: 'failed' }],
    });
    expect(explained.content[0].text).not.toContain('only-for-people');
    const attention = 'failed, interrupted';
    const listed = await agent.data('list_runs', { attention, workflow: 'fails' });
    expect(listed.runs).toMatchObject([{ run, attention: 'failed', error: { kind: error.kind } }]);

    const broken = FAILS.replace('to: broken', 'to: brokn');
    const judged = await agent.data('validate_workflow', { workflow: 'fails', text: broken });
    expect([judged.isValid, judged.files[0].diagnostics[0].line]).toEqual([false, 4]);
    const mended = FAILS.replace('value: 1', 'value: 2').replace('test -f fixed', 'true');
    expect(
      await agent.data('validate_workflow', { workflow: 'fails', text: mended }),
    ).toMatchObject({ isValid: true });
    writeFileSync(join(folder, 'fails.yaml'), mended);
    const drifted = await agent.call('resume_run', { run });
    expect([drifted.isError, drifted.structuredContent.error]).toMatchObject([
      true,
      { kind: 'run.drifted', details: { changed: [{ node: 'before' }, { node: 'broken' }] } },
    ]);
    const { nextMoves } = await agent.data('get_run', { run });
    expect(nextMoves[0]).toMatchObject({ tool: 'resume_run', needs: ['accept_drift'] });
    const resumed = await agent.data('resume_run', { run, accept_drift: true });
    expect(resumed).toMatchObject({ run, status: 'completed', output: { ok: true } });
    writeFileSync(join(folder, 'fails.yaml'), FAILS);
  });

  test('a run is cancelled once, and again without a change', async () => {
    const { run } = await agent.data('slow', { mark: join(folder, 'never'), _wait_seconds: 0 });
    for (const given of [{ run, reason: 'enough' }, { run }])
      expect(await agent.data('cancel_run', given)).toMatchObject({ run, status: 'cancelled' });
    const again = await agent.call('resume_run', { run });
    expect([again.isError, again.structuredContent.error.kind]).toEqual([
      true,
      'run.already_ended',
    ]);
  });

  test('a key gives one run, whichever the wait, and refuses another input', async () => {
    const first = await agent.data('hello', { who: 'Bo', _key: 'k' });
    const again = await agent.data('hello', { who: 'Bo', _key: 'k', _wait_seconds: 1 });
    expect(again.run).toBe(first.run);
    const other = await agent.call('hello', { who: 'Cy', _key: 'k' });
    expect(other.structuredContent.error.kind).toBe('request.key_reused');
  });

  test('a value above 32 KiB is read by its path', async () => {
    const { run, output } = await agent.data('large', { n: 32 * 1024 - 2 });
    expect([run, output.length]).toEqual([run, 32 * 1024 - 2]);
    const large = await agent.call('large', { n: 32 * 1024 - 1 });
    const { output: cut } = large.structuredContent;
    expect(cut).toEqual({ truncated: true, bytes: 32 * 1024 + 1, path: expect.any(String) });
    expect(Buffer.byteLength(large.content[0].text)).toBeLessThanOrEqual(4096);
    const id = large.structuredContent.run;
    for (const path of [cut.path, 'make']) {
      const whole = await agent.call('get_run', { run: id, path });
      expect(whole.structuredContent.value).toHaveLength(32 * 1024 - 1);
      expect(Buffer.byteLength(whole.content[0].text)).toBeLessThanOrEqual(4096);
    }
  });

  test('only a tool that is not there is an error of the protocol', async () => {
    await expect(agent.call('nothing')).rejects.toMatchObject({ code: -32_602 });
    const { isError, structuredContent } = await agent.call('get_run', { run: 'nothing' });
    expect([isError, structuredContent.error.kind]).toEqual([true, 'run.not_found']);
  });

  test('a refusal names tools, and no command or route', async () => {
    const { run } = await agent.data('hello', { _key: 'done' });
    const refused = {
      'run.not_found': await agent.call('get_run', { run: 'nothing' }),
      'run.already_ended': await agent.call('resume_run', { run }),
      'validation.input': await agent.call('resume_run', { run, from: 'nobody' }),
      'request.key_reused': await agent.call('hello', { who: 'Cy', _key: 'done' }),
      'workflow.not_found': await agent.call('validate_workflow', { workflow: 'zzzzzz' }),
      'request.not_found': await agent.call('explain_failure', { kind: 'zzzzzz.zzzzzz' }),
    };
    for (const [kind, { content, structuredContent }] of Object.entries(refused)) {
      const { error } = structuredContent;
      expect(error.kind).toBe(kind);
      expect(content[0].text).toContain(error.action.detail);
      expect(error.action.detail).not.toMatch(/errand |\/v1\/|--\w/);
    }
    expect(refused['run.not_found'].structuredContent.error.action.detail).toContain('list_runs');
  });
});

test('the audit names the token over HTTP', async () => {
  const server = embedded(folderWith({ 'ask.yaml': ASK }));
  const agent = await server.connect({ token: 'grace', name: 'ada' });
  const { run } = await agent.data('ask');
  await agent.data('answer_question', { run, value: 'yes' });
  const audit = await server.fetch(`http://localhost/v1/runs/${run}/audit`);
  expect(await audit.json()).toMatchObject([{ who: 'mcp:grace', what: 'answer' }]);
});
