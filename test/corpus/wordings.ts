/**
 * Short failures in the words of many services, from which the weights learn: `wordings.txt` and the
 * files of the folder `wordings`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { Entry } from './entries.ts';

/** `429 slow_down | You are too fast`, below a heading `= provider.rate_limited transient`. */
const LINE = /^(\d{3}|-|s) (.*?) \| (.*)$/;
const HEADING = /^= (\S+) (\S+)$/;
/** A code that is a name of gRPC; without a status it stands in a body. */
const GRPC_NAME = /^[A-Z_]+$/;

const STATUSES: Readonly<Record<string, number>> = { s: 200 };

const HERE = new URL('.', import.meta.url);

export const WORDINGS: readonly Entry[] = read('wordings.txt');

/** In the order of the names of their files, so that the same lessons are learned in the same order. */
export const MORE_WORDINGS: readonly Entry[] = readdirSync(new URL('wordings', HERE))
  .sort()
  .flatMap((name) => read(`wordings/${name}`));

function read(file: string): Entry[] {
  const lines = readFileSync(new URL(file, HERE), 'utf8').split('\n');
  const name = file.slice(0, -'.txt'.length).replace('/', '-');
  let [kind, category] = ['', ''];
  return lines.flatMap((line, index) => {
    const heading = HEADING.exec(line);
    if (heading !== null) [, kind = '', category = ''] = heading;
    const found = LINE.exec(line);
    if (found === null) return [];
    const [, status = '', code = '', message = ''] = found;
    const expect = { kind, category, retryable: category === 'transient', retryAfterMs: null };
    return [
      { ...entryOf(status, code, message), id: `${name}-${index}`, expect: { ...expect, why: '' } },
    ];
  });
}

function entryOf(status: string, code: string, message: string): Omit<Entry, 'id' | 'expect'> {
  const isThrown = (status === '-' || status === 's') && !GRPC_NAME.test(code);
  const named = code === '-' ? {} : { code };
  return {
    provider: '',
    api: '',
    operation: 'generate',
    status: STATUSES[status] ?? (status === '-' ? null : Number(status)),
    headers: {},
    body: isThrown ? null : { error: { message, ...named } },
    transport: isThrown ? { name: code === '-' ? 'Error' : code, message, code: null } : null,
    stream: status === 's' ? 'mid-stream' : false,
    contested: false,
  };
}
