/**
 * Servers and commands at once on one store, killed at random: what was done in the world is what one
 * process would have done. A few seconds of it here, on another database with each commit; minutes on
 * each in `npm run soak`.
 */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEngine, type Engine } from '../../src/engine/errand.ts';
import { NOTICE_TYPES } from '../../src/engine/run/notices.ts';
import { signatures, webhookSecrets } from '../../src/server/webhooks/webhook-signature.ts';
import { webhookAddress } from '../../src/server/webhooks/webhook-address.ts';
import { randomFrom } from '../../src/rehearsal/world/random.ts';
import { postgresPrograms, startPostgres, type PostgresServer } from '../postgres-server.ts';
import { IS_SOAK } from '../runs.ts';
import { sampled } from '../sampled.ts';
import {
  bundle,
  startErrand,
  startScript,
  type Bundled,
  type CommandOptions,
  type Ended,
  type Started,
} from './process.ts';
import type { ServerJob } from './server-process.ts';

/** How long things are killed. */
const TROUBLE_MS = Number(process.env['TROUBLE_SECONDS'] ?? (IS_SOAK ? 300 : 8)) * 1000;
const LANES = IS_SOAK ? 20 : 3;
const SEED = process.env['SEED'] ?? String(Date.now());

/** Begins with its deed: a reader who finds no line knows that nothing has happened. */
const DEED = `#!/bin/sh
echo "$ERRAND_RUN $1 $ERRAND_IDEMPOTENCY_KEY" >> "$(dirname "$0")/deeds"
[ -e "$(dirname "$0")/deaf" ] && trap '' TERM
sleep 0.2
[ -e "$(dirname "$0")/deaf" ] && sleep 1.5
if [ "$1" = open ] && [ ! -e "$(dirname "$0")/open-$ERRAND_RUN" ]; then
  touch "$(dirname "$0")/open-$ERRAND_RUN"
  echo '{"kind": "bank.closed", "message": "The bank is closed"}' > "$ERRAND_ERROR_OUT"
  exit 1
fi
`;

const ORDER = `
workflow:
  name: order
  entry_point: pay
  on_unhandled: fail
  runtime:
    simulate_price_per_mtok: {input: 1, output: 1}
    simulate:
      clerk: [{answer: refund, usage: {input_tokens: 100, output_tokens: 10}}]
nodes:
  - {name: pay, type: script, command: sh, args: [./deed.sh, pay], routes: [{to: label}]}
  - {name: label, model: sim/clerk, prompt: Label it, tools: [], routes: [{to: open}]}
  - name: open
    type: script
    command: sh
    args: [./deed.sh, open]
    idempotent: true
    raises: [bank.closed]
    routes:
      - {to: rest}
      - {on_error: bank.closed, park: {for: 1s}}
  - {name: rest, type: wait, duration: 300ms, routes: [{to: ship}]}
  - {name: ship, type: script, command: sh, args: [./deed.sh, ship], idempotent: true, routes: [{to: tell}]}
  - {name: tell, type: script, command: sh, args: [./deed.sh, tell]}
`;

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const NOTICES: ReadonlySet<string> = new Set(Object.keys(NOTICE_TYPES));

/** Takes webhooks; the first try of every fifth message is refused. */
class Receiver {
  readonly #server = createServer((request, response) => this.#take(request, response));
  readonly #refused = new Set<string>();
  readonly taken = new Set<string>();
  readonly forged: string[] = [];
  url = '';

  async open(): Promise<void> {
    await new Promise<void>((resolve) => void this.#server.listen(0, '127.0.0.1', resolve));
    const { port } = this.#server.address() as AddressInfo;
    this.url = `http://127.0.0.1:${port}/hook`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const id = String(request.headers['webhook-id']);
      const timestamp = Number(request.headers['webhook-timestamp']);
      const message = { id, timestamp, body: Buffer.concat(chunks).toString() };
      const expected = signatures(message, webhookSecrets(SECRET));
      if (request.headers['webhook-signature'] !== expected) this.forged.push(id);
      const isFirst = !this.#refused.has(id);
      this.#refused.add(id);
      if (isFirst && this.#refused.size % 5 === 0) {
        response.writeHead(500).end();
        return;
      }
      this.taken.add(id);
      response.writeHead(204).end();
    });
  }
}

let root: string;
let server: Bundled;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'errand-servers-'));
  server = await bundle(join(import.meta.dirname, 'server-process.ts'));
});
afterAll(() => {
  server.remove();
  rmSync(root, { recursive: true, force: true });
});

interface Scene {
  readonly receiver: Receiver;
  readonly folder: string;
  /** As `openErrand` and ERRAND_STORE take it. */
  readonly store: string;
}

async function newScene(name: string, address?: string): Promise<Scene> {
  const folder = join(root, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'deed.sh'), DEED);
  writeFileSync(join(folder, 'order.yaml'), ORDER);
  writeFileSync(join(folder, 'deeds'), '');
  const receiver = new Receiver();
  await receiver.open();
  const store = address ?? `sqlite:${join(folder, '.errand/errand.db')}`;
  // from the first start with that address on, everything is sent to it
  const errand = await openEngine({ store, directory: folder });
  await (await errand.outbox()).add(webhookAddress(receiver.url));
  await errand.close();
  return { folder, store, receiver };
}

function startServer({ folder, store, receiver }: Scene): Started {
  const job: ServerJob = {
    store,
    directory: folder,
    file: join(folder, 'order.yaml'),
    workflow: 'order',
    webhook: receiver.url,
    secret: SECRET,
  };
  return startScript(server.script, [JSON.stringify(job)], { cwd: folder });
}

const STORE_AWAY = 6;

/** A server that is started again when it finds its store away, as a supervisor does. */
function supervised(scene: Scene): Started {
  let isAsked = false;
  let current = startServer(scene);
  const untilAsked = async (): Promise<Ended> => {
    for (;;) {
      const end = await current.ended;
      if (isAsked || end.exit !== STORE_AWAY) return end;
      current = startServer(scene);
    }
  };
  return {
    pid: current.pid,
    kill: (signal) => {
      isAsked = true;
      current.kill(signal);
    },
    ended: untilAsked(),
  };
}

/** A server that is killed or stopped again and again, and started again. */
async function keepServing(scene: Scene, number: number, isOver: () => boolean): Promise<Started> {
  const random = randomFrom('server', number, SEED);
  for (;;) {
    const started = supervised(scene);
    // by what happens and not by the clock: a busy machine would kill them before they have begun
    await moreDeeds(scene, 1 + random.int(5), isOver);
    await delay(random.int(300));
    if (isOver()) return started;
    started.kill(random.pick(['SIGKILL', 'SIGKILL', 'SIGTERM']));
    await started.ended;
  }
}

/** Commands one after the other; most are killed at some moment. Counts those that were begun. */
async function keepStarting(scene: Scene, lane: number, isOver: () => boolean): Promise<void> {
  const random = randomFrom('lane', lane, SEED);
  while (!isOver()) {
    const command = startErrand(['run', 'order.yaml', '--quiet'], at(scene));
    if (random.chance(0.6)) {
      await Promise.race([command.ended, moreDeeds(scene, 1 + random.int(3), isOver)]);
      await delay(random.int(300));
      command.kill('SIGKILL');
    }
    await command.ended;
  }
}

/** Answers what nobody knows, by what is in the world, until every run is over. */
async function untilAllOver(errand: Engine, { folder }: Scene): Promise<void> {
  for (;;) {
    const open = (await errand.list()).filter(({ status }) => status !== 'completed');
    if (open.length === 0) return;
    for (const { run, waiting, status } of open) {
      expect(['running', 'paused', 'interrupted'], run).toContain(status);
      if (waiting?.reason !== 'outcome') continue;
      const hasHappened = deedsIn(folder).some(
        (deed) => deed.run === run && deed.node === waiting.node,
      );
      const value = hasHappened ? { edit: { looked: 'up' } } : 'repeat';
      // refused while the process of the effect still runs, or when another was quicker
      const handle = await errand.answer(run, { value, by: 'ada' }).catch(() => undefined);
      await handle?.result();
    }
    await delay(100);
  }
}

/** Resolves when so many more deeds were done, by whichever process, or when the trouble is over. */
async function moreDeeds({ folder }: Scene, count: number, isOver: () => boolean): Promise<void> {
  const enough = deedsIn(folder).length + count;
  await until(() => isOver() || deedsIn(folder).length >= enough);
}

interface Deed {
  readonly run: string;
  readonly node: string;
  readonly key: string;
}

function deedsIn(folder: string): readonly Deed[] {
  const lines = readFileSync(join(folder, 'deeds'), 'utf8').trim().split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const [run = '', node = '', key = ''] = line.split(' ');
      return { run, node, key };
    });
}

async function survive(scene: Scene): Promise<void> {
  let isOver = false;
  const servers = [1, 2].map((number) => keepServing(scene, number, () => isOver));
  const lanes = Array.from({ length: LANES }, (_, lane) => keepStarting(scene, lane, () => isOver));
  await delay(TROUBLE_MS);
  isOver = true;
  const [alive] = [await Promise.all(servers), await Promise.all(lanes)];
  const errand = await openEngine({ store: scene.store, directory: scene.folder });
  try {
    await untilAllOver(errand, scene);
    await judge(errand, scene);
    await judgeWebhooks(errand, scene);
  } finally {
    await errand.close();
    for (const each of alive) each.kill('SIGTERM');
    // a server that is asked to stop ends well
    const ended = await Promise.all(alive.map((each) => each.ended));
    const bad = ended.filter(({ exit }) => exit !== 0);
    expect(bad.map(({ exit, stderr }) => [exit, stderr])).toEqual([]);
  }
}

/** Every notice of every run arrives, signed, and nothing else does. */
async function judgeWebhooks(errand: Engine, { receiver }: Scene): Promise<void> {
  const expected: string[] = [];
  for (const { run } of await errand.list())
    for (const { seq, type } of await errand.events(run))
      if (NOTICES.has(type)) expected.push(`${run}:${seq}`);
  await until(() => expected.every((id) => receiver.taken.has(id)));
  expect([...receiver.taken].toSorted()).toEqual(expected.toSorted());
  expect(receiver.forged).toEqual([]);
  receiver.close();
}

async function judge(errand: Engine, { folder }: Scene): Promise<void> {
  const runs = await errand.list();
  expect(runs.length).toBeGreaterThan(0);
  const deeds = deedsIn(folder);
  const wrong: string[] = [];
  for (const { run } of runs) {
    const of = (node: string): readonly Deed[] =>
      deeds.filter((deed) => deed.run === run && deed.node === node);
    for (const node of ['pay', 'tell'])
      if (of(node).length !== 1) wrong.push(`${run}: ${node} was done ${of(node).length} times`);
    for (const node of ['open', 'ship'])
      if (new Set(of(node).map(({ key }) => key)).size !== 1) wrong.push(`${run}: keys of ${node}`);
    const { attempts } = await errand.costs(run);
    for (const node of ['pay', 'label', 'open', 'ship', 'tell']) {
      const good = attempts.filter(
        (row) => row.node === node && row.outcome === 'succeeded',
      ).length;
      // one that was looked up has no result of its own
      const least = node === 'pay' || node === 'tell' ? 0 : 1;
      if (good < least || good > 1) wrong.push(`${run}: the ledger has ${good} of ${node}`);
    }
  }
  const carried = await Promise.all(
    runs.map(async ({ run }) => {
      const events = await errand.events(run);
      return events.filter(({ type }) => type === 'run:resumed').length;
    }),
  );
  const legs = carried.reduce((sum, count) => sum + count, 0);
  process.stdout.write(
    `${runs.length} runs, ${legs} resumptions, ${deeds.length} deeds; SEED=${SEED}\n`,
  );
  const ids = new Set(runs.map(({ run }) => run));
  const strays = deeds.filter(({ run }) => !ids.has(run));
  if (wrong.length > 0) appendFileSync(join(root, 'wrong'), wrong.join('\n'));
  expect(wrong, `seed ${SEED}`).toEqual([]);
  expect(strays).toEqual([]);
}

describe('two servers and several commands on one store, killed at random', () => {
  const timeout = 3 * TROUBLE_MS + 300_000;

  const programs = postgresPrograms();
  const databases = programs === undefined ? ['SQLite'] : ['SQLite', 'PostgreSQL'];
  it.each(sampled(databases, { oneOf: 2, what: 'databases of servers' }))(
    '%s: nothing is lost, and nothing is done twice',
    { timeout },
    async (name) => {
      if (name === 'SQLite') return survive(await newScene('sqlite'));
      const database: PostgresServer = await startPostgres(programs ?? '');
      try {
        return await survive(await newScene('postgres', database.url));
      } finally {
        await database.remove();
      }
    },
  );
});

describe('a run that a person stopped', () => {
  const ways = ['SIGINT', 'SIGINT, and then SIGKILL', 'SIGTERM', 'SIGHUP'];
  it.each(sampled(ways, { oneOf: 2, what: 'stops by a person' }))(
    'is not continued by a server: %s',
    async (how) => {
      const scene = await newScene(`stopped-${how.replaceAll(/\W+/g, '-')}`);
      if (how.includes('SIGKILL')) writeFileSync(join(scene.folder, 'deaf'), '');
      const errand = await openEngine({ store: scene.store, directory: scene.folder });
      const [stopped, run] = await startUntilPaid(scene, []);
      stopped.kill(how.split(',')[0] as NodeJS.Signals);
      if (how.includes('SIGKILL')) {
        // as a second Ctrl-C while the script does not listen to the first
        await until(() => notedStops(scene) === 1);
        stopped.kill('SIGKILL');
      }
      await stopped.ended;
      rmSync(join(scene.folder, 'deaf'), { force: true });

      // one that was killed is continued, so the server is at work
      const [killed, orphan] = await startUntilPaid(scene, [run]);
      killed.kill('SIGKILL');
      await killed.ended;
      const started = startServer(scene);
      await until(async () => (await errand.record(orphan)).status === 'paused');
      expect((await errand.stored(run)).status).toBe('interrupted');
      expect((await errand.events(run)).filter(({ type }) => type === 'run:resumed')).toEqual([]);

      // a person resumes it: its doubt is asked about, and then the server has it
      const resumed = await startErrand(['resume', run, '--quiet'], at(scene)).ended;
      expect(resumed.exit).toBe(5);
      await untilAllOver(errand, scene);
      await judge(errand, scene);
      await judgeWebhooks(errand, scene);
      await errand.close();
      started.kill('SIGTERM');
      expect((await started.ended).exit).toBe(0);
    },
  );
});

/** A command whose run has just paid, and the id of the run. */
async function startUntilPaid(
  scene: Scene,
  known: readonly string[],
): Promise<readonly [Started, string]> {
  const command = startErrand(['run', 'order.yaml', '--quiet'], at(scene));
  const paid = (): string | undefined =>
    deedsIn(scene.folder).find(({ run, node }) => node === 'pay' && !known.includes(run))?.run;
  await until(() => paid() !== undefined);
  return [command, paid() ?? ''];
}

/** How many runs the store has a note of. */
function notedStops({ folder }: Scene): number {
  const db = new DatabaseSync(join(folder, '.errand/errand.db'), { readOnly: true });
  const row = db.prepare('SELECT count(*) AS noted FROM stops').get();
  db.close();
  return Number(row?.['noted']);
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(20);
}

function at({ folder, store }: Scene): CommandOptions {
  return { cwd: folder, env: { ERRAND_STORE: store } };
}
