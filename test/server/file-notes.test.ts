/** What a server logs at its start about the files that it serves. */
import { afterEach, expect, it } from 'vitest';
import { HostedServer } from '../../src/server/errand-server.ts';
import { newFolder } from './served.ts';

const GOOD = 'workflow: {name: good, entry_point: a}\nnodes: [{name: a, type: set, value: 1}]\n';
const BAD = 'workflow: {name: bad, entry_point: b}\nnodes: [{name: a, type: set, value: 1}]\n';

const opened: HostedServer[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

async function notesOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const lines: string[] = [];
  const server = new HostedServer({
    directory: newFolder(files),
    store: 'memory',
    env: {},
    authorize: () => ({ name: 'ada', role: 'edit' }),
    onLog: (line) => lines.push(line),
  });
  opened.push(server);
  await server.logFileNotes();
  return lines;
}

it('names each file that cannot run, with the command that says why', async () => {
  expect(await notesOf({ 'good.yaml': GOOD, 'bad.yaml': BAD })).toEqual([
    'bad.yaml is not valid and cannot run: errand validate bad.yaml',
  ]);
});

it('says that there are no files', async () => {
  expect(await notesOf({})).toEqual([
    'no workflow files here; start it with files, or with their folder',
  ]);
});

it('is silent about files that can run', async () => {
  expect(await notesOf({ 'good.yaml': GOOD })).toEqual([]);
});
