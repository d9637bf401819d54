/** The key that signs webhooks, and what is secret in their addresses, leave the server in no answer. */
import { expect, test } from 'vitest';
import { serve } from './served.ts';

const ECHO = `workflow:
  name: echo
  entry_point: say
  on_unhandled: fail
  input: { text: { type: string } }
nodes:
  - { name: say, type: set, value: '{{ workflow.input.text }}' }
`;

const KEY = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const [IN_QUERY, IN_PATH] = ['Ab4kLe8tM3bRx6YwQ', 'Xk3jKd9sK2aQw7ZxP'];

test('the key of webhooks is a secret without its prefix too, and so are tokens in their addresses', async () => {
  const served = await serve({
    files: { 'echo.yaml': ECHO },
    args: [
      `--webhook=http://127.0.0.1:9/hook?token=${IN_QUERY}`,
      `--webhook=http://127.0.0.1:9/services/${IN_PATH}`,
    ],
    env: { ERRAND_WEBHOOK_SECRET: `whsec_${KEY}` },
  });
  const said = async (text: string): Promise<unknown> =>
    (await served.run('echo', { input: { text } })).output;
  expect(await said(`signed with ${KEY}`)).toBe('signed with [redacted]');
  const bytes = Buffer.from(KEY, 'base64').toString('hex');
  expect(await said(`signed with ${bytes}`)).toBe('signed with [redacted]');
  expect(await said(`sent to ?token=${IN_QUERY}`)).toBe('sent to ?token=[redacted]');
  expect(await said(`sent to /services/${IN_PATH}`)).toBe('sent to /services/[redacted]');
  // what is no secret stays
  expect(await said('http://127.0.0.1:9/hook of services')).toBe(
    'http://127.0.0.1:9/hook of services',
  );
});
