/**
 * Runs the built command again and again in one process, for `command.ts`. Each command gets
 * its own arguments, folder, environment and outputs, and has ended when nothing is left that would
 * keep a process of its own alive.
 */
import { setImmediate as turn, setTimeout as after } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

export interface Order {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export type Served =
  | {
      readonly exit: number;
      readonly stdout: string;
      readonly stderr: string;
      /** Both, in the order in which a person would see them. */
      readonly printed: string;
    }
  | { readonly broken: string };

const [, , launcher = '', main = ''] = process.argv;
let count = 0;

/** As the launcher does it: a database that Node calls an experiment is no news. */
const warn = process.emitWarning.bind(process);
process.emitWarning = (...args: unknown[]) => {
  if (args[1] !== 'ExperimentalWarning') Reflect.apply(warn, process, args);
};

process.on('disconnect', () => process.exit());
process.on('message', (order: Order) => {
  serve(order).then(
    (ended) => process.send?.(ended),
    (thrown: unknown) => process.send?.({ broken: String(thrown) } satisfies Served),
  );
});

async function serve({ args, cwd, env }: Order): Promise<Served> {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
  process.argv = [process.execPath, launcher, ...args];
  process.exitCode = undefined;
  const printed: Written[] = [];
  const stdout = recorded(process.stdout, printed);
  const stderr = recorded(process.stderr, printed);
  const present = new Set(process.listeners('exit'));
  const kept = await keptAlive();
  // the query makes the entry a new module; what it imports is loaded once
  count += 1;
  await import(`${pathToFileURL(main).href}?${count}`);
  while ((await keptAlive()) > kept) await after(1);
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

/** Keeps what is written from now on, until it is asked for. */
function recorded(stream: NodeJS.WriteStream, written: Written[]): () => string {
  const write = (chunk: string | Uint8Array, ...more: readonly unknown[]): boolean => {
    written.push({ stream, chunk: Buffer.from(chunk as string) });
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
