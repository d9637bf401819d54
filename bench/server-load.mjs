/**
 * A separate process for `server.bench.ts`: sends requests at a steady rate, and counts the
 * answers.
 */
import { Agent, get } from 'node:http';

const [, , url = '', token = '', rate = '0', seconds = '0'] = process.argv;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const headers = { authorization: `Bearer ${token}` };
const total = Number(rate) * Number(seconds);
const counts = { sent: 0, answered: 0, failed: 0, broken: 0 };

function send() {
  counts.sent++;
  return new Promise((resolve) => {
    get(url, { agent, headers }, (response) => {
      response.resume().on('end', () => {
        counts.answered++;
        if ((response.statusCode ?? 0) >= 500) counts.failed++;
        resolve();
      });
    }).on('error', () => {
      counts.broken++;
      resolve();
    });
  });
}

const open = [];
const startMs = performance.now();
while (counts.sent < total) {
  const dueNow = Math.min(total, ((performance.now() - startMs) * Number(rate)) / 1000);
  while (counts.sent < dueNow) open.push(send());
  await new Promise((resolve) => setTimeout(resolve, 5));
}
await Promise.all(open);
agent.destroy();
const tookMs = performance.now() - startMs;
console.log(JSON.stringify({ ...counts, tookMs }));
