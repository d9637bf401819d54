/** A provider in a separate process: gives the same streamed answer to every request, at once. */
import { createServer } from 'node:http';

const chunk = (delta, finish = null) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1_750_000_000,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const words = Array.from({ length: 20 }, (_, index) => chunk({ content: `word ${index} ` }));
const usage = { prompt_tokens: 12, completion_tokens: 60, total_tokens: 72 };
const events = [...words, chunk({}, 'stop'), { ...chunk({}), choices: [], usage }];
const answer = `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`;

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address().port));
process.on('disconnect', () => process.exit());
