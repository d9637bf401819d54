/** Progress is for the listeners of an application: it leaves the engine as outputs do, without secrets. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRedactor } from '../src/errors/redaction/redact.ts';
import { openErrand, workflow } from '../src/index.ts';
import { runs } from './runs.ts';

const SECRET = 'Kx9-QwErTy-7781-zzPP';

/** Everything that a listener gets while the model streams these pieces and a function reports progress. */
async function progressOf(pieces: readonly string[]): Promise<readonly unknown[]> {
  const errand = await openErrand({
    store: 'memory',
    secrets: [SECRET],
    functions: {
      connect: (_, { progress }) => {
        progress(`connecting with ${SECRET}`);
        progress({ [SECRET]: [SECRET], password: { is: `<${SECRET}>` } });
        // JavaScript passes anything
        Reflect.apply(progress, undefined, [new Map([[SECRET, 1n]])]);
        return 1;
      },
    },
  });
  const said: unknown[] = [];
  const run = await errand.start(
    workflow({
      name: 't',
      entryPoint: 'a',
      runtime: { simulate: { m: [{ stream: pieces }] } },
      nodes: [
        { name: 'a', type: 'agent', prompt: 'hi', model: 'sim/m', routes: [{ to: 'b' }] },
        { name: 'b', type: 'call', function: 'connect' },
      ],
    }),
    { onProgress: ({ value }) => said.push(value) },
  );
  expect(await run.result()).toMatchObject({ status: 'completed' });
  await errand.close();
  return said;
}

function textIn(said: readonly unknown[]): string {
  return said.map((value) => (value as { readonly delta?: string }).delta ?? '').join('');
}

it('of a function has no secret, in keys and values, and leaves out what is no JSON', async () => {
  const ofFunction = (await progressOf(['ok.'])).filter((value) => textIn([value]) === '');
  expect(ofFunction).toEqual([
    'connecting with [redacted]',
    { '[redacted]': ['[redacted]'], password: { is: '<[redacted]>' } },
  ]);
});

it('of a model has no secret, however its text is cut, and nothing else is lost', async () => {
  const text = `the key is ${SECRET}, and Kx9- is how it begins; ${Buffer.from(SECRET).toString('base64')} K`;
  const whole = createRedactor([SECRET]).values(text);
  expect(whole).toMatch(/^the key is \[redacted\], and Kx9- is how it begins; \[redacted\]/);
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: text.length - 1 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(cuts, async (at) => {
      const ends = [...at.toSorted((a, b) => a - b), text.length];
      const pieces = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
      expect(textIn(await progressOf(pieces))).toBe(whole);
    }),
    { numRuns: runs(40) },
  );
});

it('of a model has no half of a secret where its text breaks off', async () => {
  const said: unknown[] = [];
  const errand = await openErrand({ store: 'memory', secrets: [SECRET] });
  const stream = ['the key is ', SECRET.slice(0, -4)];
  const run = await errand.start(
    workflow({
      name: 't',
      entryPoint: 'a',
      onUnhandled: 'fail',
      runtime: { simulate: { m: [{ stream, cut: true }] } },
      nodes: [{ name: 'a', type: 'agent', prompt: 'hi', model: 'sim/m' }],
    }),
    { onProgress: ({ value }) => said.push(value) },
  );
  const events = [];
  for await (const event of run.events()) events.push(event);
  await errand.close();
  expect(textIn(said)).toMatch(/^the key is /);
  expect(JSON.stringify([said, events])).not.toContain(SECRET.slice(0, 8));
});
