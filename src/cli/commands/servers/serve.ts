/** `errand serve`: workflows as a service, until it is stopped. */
import { jsonText, oneLine } from '../../../errors/support/printable.ts';
import { hostName } from '../../../server/access/hosts.ts';
import { listen } from '../../../server/listen.ts';
import { HostedServer } from '../../../server/errand-server.ts';
import { tokensIn } from '../../../server/access/access-tokens.ts';
import { refusal } from '../../exit.ts';
import { Stopping } from '../../guard/stopping.ts';
import type { Format } from '../../format.ts';
import { portOf } from '../../port-option.ts';
import { createHome } from '../../project/home.ts';
import { lastRehearsal } from '../../project/last-rehearsal.ts';
import { openBrowser } from '../../project/open-browser.ts';
import { hostedEngine } from '../../project/project.ts';
import { loggedTo, RunJournals } from '../../session/run-journals.ts';
import type { Terminal } from '../../terminal.ts';

export interface ServeFlags {
  readonly host: string;
  readonly port: string;
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly allowEdit?: boolean;
  readonly readOnly?: boolean;
  readonly maxRuns?: string;
  readonly webhook?: readonly string[];
  readonly publicUrl?: string;
  readonly open?: boolean;
  readonly format: Format;
}

/** A deploy waits ten seconds: effects have eight, and the rest is for storing their results. */
const CONNECTIONS_MS = 1000;

export async function serve(
  files: readonly string[],
  flags: ServeFlags,
  terminal: Terminal,
): Promise<number> {
  const { host } = flags;
  const port = portOf(flags.port);
  const maxRuns = flags.maxRuns === undefined ? {} : { maxRuns: maxRunsOf(flags.maxRuns) };
  const allowEdit = flags.allowEdit === true;
  const isOpenToAll = !isLoopback(host);
  if (isOpenToAll && tokensIn(process.env, { allowEdit }).length === 0)
    throw refusal(
      `Without tokens the server listens only on this machine, not on ${host}`,
      'Set ERRAND_TOKENS or ERRAND_TOKEN, or leave --host out.',
    );
  const log = (line: string): void => terminal.err(`errand serve: ${oneLine(line)}`);
  const home = createHome(process.env, process.cwd());
  const journals = new RunJournals({ home, warn: log });
  const server = new HostedServer({
    files,
    host,
    allowHost: flags.allowHost ?? [],
    allowOrigin: flags.allowOrigin ?? [],
    allowEdit,
    readOnly: flags.readOnly === true,
    ...maxRuns,
    webhook: flags.webhook ?? [],
    ...(flags.publicUrl === undefined ? {} : { publicUrl: flags.publicUrl }),
    onLog: log,
    onEvent: loggedTo(journals, terminal),
    lastRehearsal: (workflow) => lastRehearsal(home, workflow),
    engine: hostedEngine(home),
  });
  const stopping = new Stopping();
  try {
    // reports a store that cannot be used before anybody connects
    await server.open();
    const listening = await listen(server, { host, port });
    const url = flags.publicUrl ?? `http://${shownHost(host)}:${listening.port}`;
    announce({ url, port: listening.port, token: server.token }, flags, terminal);
    if (flags.open === true) openBrowser(addressOf(url, server.token));
    await server.logFileNotes();
    await stopping.asked;
    log('stopping');
    listening.stop();
    await server.close();
    await listening.ended(CONNECTIONS_MS);
    log('stopped');
    return 0;
  } catch (thrown) {
    await server.close();
    throw thrown;
  } finally {
    stopping.off();
  }
}

interface Address {
  readonly url: string;
  readonly port: number;
  /** Empty where tokens were given. */
  readonly token: string;
}

/** The first line: where it is, and how to get in. */
function announce({ url, port, token }: Address, { format }: ServeFlags, terminal: Terminal): void {
  if (format === 'json') {
    const { pid } = process;
    terminal.out(jsonText({ url, port, ...(token === '' ? {} : { token }), pid }));
    terminal.err(`errand serve: listening on ${url}`);
  } else terminal.err(`Listening on ${addressOf(url, token)}`);
}

/** A fragment is never sent, so the token stays between the screen and the page. */
function addressOf(url: string, token: string): string {
  return token === '' ? url : `${url.replace(/\/$/, '')}/#token=${token}`;
}

function isLoopback(host: string): boolean {
  const name = hostName(host.includes(':') && !host.startsWith('[') ? `[${host}]` : host) ?? '';
  return name === 'localhost' || name === '::1' || /^127\.\d+\.\d+\.\d+$/.test(name);
}

function shownHost(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

function maxRunsOf(written: string): number {
  if (/^[1-9]\d{0,5}$/.test(written)) return Number(written);
  throw refusal(
    `${written} is not a number of runs`,
    'Give --max-runs a whole number of at least 1.',
  );
}
