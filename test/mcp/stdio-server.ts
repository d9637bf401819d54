/**
 * The test server as a process. `DID` names a file that records its work; `START` names one that
 * chooses how to start: `crash`, `hang`, `modern` for the newest protocol alone, or anything else
 * to work.
 */
// before any import that is worth compiling once
import './compile-cache.ts';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { newServer, SDKS } from './tools.ts';

const did = (what: string): void => {
  const file = process.env['DID'];
  if (file !== undefined) appendFileSync(file, `${what}\n`);
};
const start = process.env['START'];
const how = start !== undefined && existsSync(start) ? readFileSync(start, 'utf8').trim() : 'work';

did(`start ${how}`);
if (how === 'crash') {
  process.stderr.write(`cannot start with ${process.env['TOKEN'] ?? 'no token'}\n`);
  process.exit(3);
}
if (how === 'hang') setInterval(() => undefined, 1000);
else {
  const { serveStdio, StdioServerTransport } = createRequire(`${SDKS}package.json`)(
    '@modelcontextprotocol/server/stdio',
  );
  const make = (): unknown => newServer({ did, crash: () => process.exit(7) });
  if (how === 'modern') serveStdio(make, { legacy: 'reject' });
  else {
    const server = make() as { connect(transport: unknown): Promise<void> };
    await server.connect(new StdioServerTransport());
  }
}
