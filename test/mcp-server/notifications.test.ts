/** What a server says without being asked: how a run goes while a call waits, and that the tools have changed. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { embedded, ERAS, folderWith, overStdio, type Connected, type Json } from './clients.ts';
import { HELLO, SLOW } from './workflows.ts';

const PLACES = ERAS.flatMap((era) =>
  (['http', 'stdio'] as const).map((transport) => ({ era, transport })),
);

describe.each(PLACES)('$era over $transport', ({ era, transport }) => {
  let folder: string;
  let agent: Connected;
  let reported: () => Promise<readonly string[]>;

  beforeAll(async () => {
    folder = folderWith({ 'slow.yaml': SLOW, 'hello.yaml': HELLO });
    const lists: ((names: readonly string[]) => void)[] = [];
    const given = {
      era,
      onTools: (tools: readonly Json[]) => lists.shift()?.(tools.map(({ name }) => name)),
    };
    reported = () => new Promise((resolve) => void lists.push(resolve));
    const isHttp = transport === 'http';
    agent = isHttp ? await embedded(folder).connect(given) : await overStdio(folder, given);
  });

  test('a call that waits says how its run goes, to a client that asks for it', async () => {
    const notes: Json[] = [];
    const mark = join(folder, 'go-on');
    const result = await agent.client.callTool(
      { name: 'slow', arguments: { mark } },
      {
        onprogress: (note: Json) => {
          notes.push(note);
          writeFileSync(mark, '');
        },
      },
    );
    const { run, status } = result.structuredContent;
    expect(status).toBe('completed');
    expect(notes[0]).toMatchObject({ message: expect.stringContaining(run) });
    expect(notes[0].message).toMatch(/^slow is running as .*: work$/);
    const values = notes.map(({ progress }) => progress as number);
    expect(values.every((value, at) => at === 0 || value > (values[at - 1] ?? 0))).toBe(true);
  });

  test('a run that rests at once says nothing before its result', async () => {
    const notes: Json[] = [];
    const onprogress = (note: Json): void => void notes.push(note);
    const { structuredContent } = await agent.client.callTool(
      { name: 'get_run', arguments: { run: (await agent.data('hello')).run, wait_seconds: 1 } },
      { onprogress },
    );
    expect([structuredContent.status, notes]).toEqual(['completed', []]);
  });

  const isAnnounced = era === 'modern' || transport === 'stdio';

  test.runIf(isAnnounced)('a file that comes or goes changes the list of tools', async () => {
    const file = join(folder, 'new.yaml');
    const added = reported();
    writeFileSync(file, HELLO.replace('name: hello', 'name: fresh'));
    expect(await added).toContain('fresh');
    const gone = reported();
    rmSync(file);
    expect(await gone).not.toContain('fresh');
    expect(existsSync(file)).toBe(false);
  });

  test('says whether it announces such changes', () => {
    const { tools } = agent.client.getServerCapabilities();
    expect(tools.listChanged === true).toBe(isAnnounced);
  });
});
