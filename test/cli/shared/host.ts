/**
 * Runs the built command again and again in one process, for `command.ts`. Each command gets its
 * own arguments, folder, environment and outputs. It has ended when nothing is left that would keep
 * a separate process alive.
 */
import { setImmediate as turn, setTimeout as after } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

export interface Order {
  /** Sends the output at once, for a command that ends when it gets a signal. */
  readonly isLong?: boolean;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export type Served =
  | {
      readonly exit: number;
      readonly stdout: string;
      readonly stderr: string;
      /** Both streams, in the order in which a person would see them. */
      readonly printed: string;
    }
  | { readonly broken: string };

/** Calls the listeners of the command. */
export interface Signal {
  readonly signal: NodeJS.Signals;
}

export type Printed = Readonly<Partial<Record<'stdout' | 'stderr', string>>>;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const [, , launcher = '', main = ''] = process.argv;
const LONG_POLL_MS = 10;
let count = 0;

/** hides the warning about an experimental database, as the launcher does */
const warn = process.emitWarning.bind(process);
process.emitWarning = (...args: unknown[]) => {
  if (args[1] !== 'ExperimentalWarning') Reflect.apply(warn, process, args);
};

process.on('disconnect', () => process.exit());
process.on('message', (order: Order | Signal) => {
  if ('signal' in order) {
    process.emit(order.signal);
    return;
  }
  serve(order).then(
    (ended) => process.send?.(ended),
    (thrown: unknown) => process.send?.({ broken: String(thrown) } satisfies Served),
  );
});

/** Thrown in place of an exit, which would end the host. */
class Exit extends Error {}

/**
 * A command exits at once if it leaves work behind that may never end; the host then ends only the
 * command.
 */
async function hasExited(command: () => Promise<unknown>): Promise<boolean> {
  const exit = process.exit.bind(process);
  process.exit = (code) => {
    if (code !== undefined) process.exitCode = code;
    throw new Exit();
  };
  try {
    await command();
    return false;
  } catch (thrown) {
    if (!(thrown instanceof Exit)) throw thrown;
    return true;
  } finally {
    process.exit = exit;
  }
}

async function serve({ args, cwd, env, isLong = false }: Order): Promise<Served> {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
  process.argv = [process.execPath, launcher, ...args];
  process.exitCode = undefined;
  const printed: Written[] = [];
  const pass = (text: Printed): void => void (isLong && process.send?.(text));
  const stdout = recorded(process.stdout, printed, (text) => pass({ stdout: text }));
  const stderr = recorded(process.stderr, printed, (text) => pass({ stderr: text }));
  const present = new Set(process.listeners('exit'));
  const kept = await keptAlive();
  // the query makes the entry a new module; its imports are loaded only once
  count += 1;
  const hasLeft = await hasExited(() => import(`${pathToFileURL(main).href}?${count}`));
  while (!hasLeft && (await keptAlive()) > kept) await after(isLong ? LONG_POLL_MS : 1);
  // a stopped command waits for a second signal
  for (const signal of SIGNALS) process.removeAllListeners(signal);
  for (const listener of process.listeners('exit').filter((each) => !present.has(each))) {
    process.off('exit', listener);
    Reflect.apply(listener, process, [Number(process.exitCode ?? 0)]);
  }
  const exit = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  return { exit, stdout: stdout(), stderr: stderr(), printed: textOf(printed) };
}

async function keptAlive(): Promise<number> {
  await turn();
  return process.getActiveResourcesInfo().length;
}

interface Written {
  readonly stream: NodeJS.WriteStream;
  readonly chunk: Buffer;
}

/** Keeps everything written from now on, until somebody asks for it. */
function recorded(
  stream: NodeJS.WriteStream,
  written: Written[],
  onText: (text: string) => void,
): () => string {
  const write = (chunk: string | Uint8Array, ...more: readonly unknown[]): boolean => {
    written.push({ stream, chunk: Buffer.from(chunk as string) });
    onText(Buffer.from(chunk as string).toString());
    const done = more.at(-1);
    if (typeof done === 'function') process.nextTick(done);
    return true;
  };
  stream.write = write;
  return () => {
    stream.removeAllListeners('error');
    return textOf(written.filter((each) => each.stream === stream));
  };
}

function textOf(written: readonly Written[]): string {
  return Buffer.concat(written.map(({ chunk }) => chunk)).toString();
}
