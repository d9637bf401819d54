/** Names of tools that a server makes from what it was given. */
import { describe, expect, it } from 'vitest';
import { memoryFiles } from '../../workflow/yaml/files.cases.ts';
import { loadWorkflow } from '../../workflow/yaml/load-workflow.ts';
import { describeServers } from './describe-servers.ts';
import type { McpServers } from './mcp-servers.ts';

const SECRET = 'Zk7Qp2Xw9LmR4tVb8NcY';

const FILE = `
workflow:
  name: w
  entry_point: a
  runtime: {mcp_servers: {s: {type: stdio, command: x, env: {TOKEN: "\${DB_PASSWORD}"}}}}
nodes: [{name: a, prompt: go, model: sim/m, tools: [s/add]}]
`;

describe('a server that is away', () => {
  const away = {
    describe: () => Promise.reject(new Error('nobody there')),
  } as unknown as McpServers;
  const problemsOf = async (tools: string): Promise<readonly object[]> => {
    const text = FILE.replace('tools: [s/add]', tools);
    const loaded = loadWorkflow('w.yaml', memoryFiles({ 'w.yaml': text }), { DB_PASSWORD: SECRET });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
    const { problems } = await describeServers(loaded.plan, { servers: away });
    return problems.map(({ problem: { code, severity = 'error', path } }) => ({
      code,
      severity,
      path: path.join('/'),
    }));
  };
  const refused = (path: string): object => ({
    code: 'server-unreachable',
    severity: 'error',
    path,
  });

  it('is refused where an agent takes all of its tools, with a pattern or by default', async () => {
    expect(await problemsOf('tools: ["s/*"]')).toContainEqual(refused('nodes/0/tools/0'));
    expect(await problemsOf('tools: null')).toContainEqual(refused('nodes/0'));
    expect(await problemsOf('max_turns: 2')).toContainEqual(refused('nodes/0'));
  });

  it('is a warning where an agent names its tools, and nothing where it uses none', async () => {
    expect(await problemsOf('tools: [s/add]')).toMatchObject([{ severity: 'warning' }]);
    expect(await problemsOf('tools: []')).toEqual([]);
  });
});

describe('a tool with a secret of the file in its name', () => {
  it('is left out with a warning that does not name it', async () => {
    const loaded = loadWorkflow('w.yaml', memoryFiles({ 'w.yaml': FILE }), { DB_PASSWORD: SECRET });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
    const tool = { definition: {}, inputSchema: { type: 'object' } };
    const servers = {
      describe: () =>
        Promise.resolve(
          new Map([
            ['add', tool],
            [`add_${SECRET}`, tool],
          ]),
        ),
    } as unknown as McpServers;
    const { secrets } = loaded;
    const { tools, problems } = await describeServers(loaded.plan, { servers, secrets });
    expect([...tools.values()].flatMap((each) => Object.keys(each))).toEqual(['s/add']);
    expect(problems).toMatchObject([{ problem: { code: 'env-in-name', severity: 'warning' } }]);
    expect(JSON.stringify([...tools, problems])).not.toContain(SECRET);
  });
});
