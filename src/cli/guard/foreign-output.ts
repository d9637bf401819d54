/**
 * Output of code that is not ours. Stdout is for the answer, so other writes to it or to stderr
 * become lines of stderr, without secrets and control characters. Whole lines, because a secret may
 * come in two pieces. Child processes that inherit a stream write to it directly.
 */
import { StringDecoder } from 'node:string_decoder';
import { printable } from '../../errors/support/printable.ts';
import { configured } from '../report-of.ts';

type Print = (line: string) => void;

/** A line that never ends is printed in parts. */
const MAX_HELD_CHARS = 100_000;

let print: Print | undefined;

/** A screen that is being drawn prints the lines above its picture. Returns how to undo it. */
export function printForeignWith(other: Print): () => void {
  const before = print;
  print = other;
  return () => {
    print = before;
  };
}

/** Returns a function that undoes it and prints the rest. */
export function captureForeignOutput(usual: Print): () => void {
  print = usual;
  const say = (line: string): void => print?.(printable(configured().text(line)));
  const releases = [process.stdout, process.stderr].map((stream) => capture(stream, say));
  const releaseWarnings = captureWarnings((text) => text.split('\n').forEach(say));
  return () => {
    for (const release of [...releases, releaseWarnings]) release();
    print = undefined;
  };
}

function capture(stream: NodeJS.WriteStream, say: Print): () => void {
  const write = Reflect.get(stream, 'write');
  const decoder = new StringDecoder('utf8');
  let held = '';
  const foreign = (chunk: string | Uint8Array, ...more: readonly unknown[]): boolean => {
    held += typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk));
    const lines = held.split('\n');
    held = lines.pop() ?? '';
    lines.forEach(say);
    if (held.length > MAX_HELD_CHARS) {
      say(held);
      held = '';
    }
    const done = more.at(-1);
    if (typeof done === 'function') process.nextTick(done, null);
    return true;
  };
  stream.write = foreign;
  return () => {
    if (stream.write === foreign) stream.write = write;
    if (held !== '') say(held);
  };
}

/** Node would write warnings past the stream, with whatever they quote. */
function captureWarnings(say: Print): () => void {
  const usual = process.listeners('warning');
  // without the usual listener no warnings are wanted
  if (usual.length === 0) return () => undefined;
  const onWarning = ({ name, message }: Error): void => say(`${name}: ${message}`);
  process.removeAllListeners('warning').on('warning', onWarning);
  return () => {
    process.off('warning', onWarning);
    for (const listener of usual) process.on('warning', listener);
  };
}
