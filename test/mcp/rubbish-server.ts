/** A server that greets correctly and answers calls with rubbish; the tool chooses which. */
import { createInterface } from 'node:readline';
import { bytesOf, rubbish, sane } from './rubbish.ts';

const write = (text: string): boolean => process.stdout.write(bytesOf(text));

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Parameters<typeof sane>[0];
  const answer = sane(message);
  if (answer !== undefined) write(`${JSON.stringify(answer)}\n`);
  else if (message.method === 'tools/call') {
    const text = rubbish(message);
    if (text === undefined) {
      // the beginning of an answer, and then nothing forever
      write('{"jsonrpc":"2.0","id":');
      process.exit(1);
    }
    write(`${text}\n`);
  }
}
