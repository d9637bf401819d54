/** Scripts of the server: what they may contain, and the problems of wrong ones. */
import { expect, it } from 'vitest';
import { ErrandError } from '../../src/errors/thrown/errand-error.ts';
import type { ErrorReport } from '../../src/errors/report/report.ts';
import { readCorpus } from '../../src/simulator-server/corpus.ts';
import { scriptOf } from './script.cases.ts';

function refusalOf(load: () => unknown): ErrorReport {
  try {
    load();
  } catch (error) {
    if (error instanceof ErrandError) return error.report;
    throw error;
  }
  throw new Error('It was not refused');
}

it('has lists by model, in the file or in another', () => {
  const script = scriptOf('clerk:\n  - answer: yes\ncareful: ./careful.sim.yaml\n', {
    'careful.sim.yaml': '- fail: {kind: provider.auth}\n- answer: {a: 1}\n',
  });
  expect(script.get('clerk')).toMatchObject([{ answer: { type: 'answer', answer: 'yes' } }]);
  expect(script.get('careful')).toMatchObject([
    { answer: { type: 'fail', fail: { kind: 'provider.auth' } } },
    { answer: { answer: { a: 1 } } },
  ]);
});

it('is a bare list for every model', () => {
  expect(scriptOf('- answer: 1\n').get('*')).toMatchObject([{ answer: { answer: 1 } }]);
});

it('is taken from a workflow file', () => {
  const script = scriptOf(`
workflow:
  name: w
  entry_point: a
  runtime:
    simulate:
      clerk: [{answer: hello}]
agents:
  - {name: a, model: sim/clerk, prompt: x}
`);
  expect([...script.keys()]).toEqual(['clerk']);
});

it('has keys for what happens to a connection', () => {
  const script = scriptOf(`
m:
  - hang: true
  - {answer: x, lose_reply: true, first_token: 2s, stall: forever}
  - {corpus: some-id, delay: 1s}
  - {stream: [a], then_fail: {kind: provider.overloaded, retry_after: 1}}
`);
  expect(script.get('m')).toMatchObject([
    { answer: { type: 'hang' } },
    { answer: { isLost: true }, wire: { firstTokenMs: 2000, stallMs: Infinity } },
    { wire: { corpus: 'some-id' }, answer: { delayMs: 1000 } },
    { thenFail: { kind: 'provider.overloaded', retryAfterMs: 1000 } },
  ]);
});

it.each([
  ['a key that does not exist', 'm:\n  - answer: 1\n    stal: 1s\n', 'unknown-key', 3, 'stall'],
  ['a value that cannot be meant', 'm:\n  - hang: maybe\n', 'bad-value', 2, undefined],
  [
    'a kind that does not exist',
    'm:\n  - fail: {kind: provider.overloade}\n',
    'unknown-kind',
    2,
    'provider.overloaded',
  ],
  [
    'a kind that no server answers with',
    'm:\n  - fail: {kind: limit.budget}\n',
    'unsupported-value',
    2,
    undefined,
  ],
  [
    'the same in a bare list',
    '- answer: 1\n- fail: {kind: limit.budget}\n',
    'unsupported-value',
    2,
    undefined,
  ],
  [
    'a wrong failure after an answer',
    'm:\n  - stream: [a]\n    then_fail: {kind: provider.aut}\n',
    'unknown-kind',
    3,
    'provider.auth',
  ],
  ['nothing to say', 'm:\n  - delay: 1s\n', 'either-or', 2, undefined],
  ['no map', 'hello\n', 'wrong-type', 1, undefined],
  ['no YAML', 'm: [\n', 'yaml-syntax', undefined, undefined],
  ['nothing', '', 'file-empty', 1, undefined],
])('is refused for %s', (...[, text, code, line, suggestion]) => {
  const { kind, details, location } = refusalOf(() => scriptOf(text));
  expect(kind).toMatch(/^validation\./);
  expect(details).toMatchObject({ code });
  if (line !== undefined) expect(location).toMatchObject({ line });
  if (suggestion !== undefined) expect(JSON.stringify(details)).toContain(suggestion);
});

it('is refused when a file is missing', () => {
  expect(refusalOf(() => scriptOf('m: ./gone.yaml\n')).details).toMatchObject({
    code: 'include-unreadable',
  });
});

it('may name recorded failures, whose file is refused where it cannot be read', () => {
  expect(
    readCorpus('{"id":"a","status":429,"headers":{"retry-after":1}}\n\n').get('a'),
  ).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
  expect(refusalOf(() => readCorpus('{}')).message).toContain('Line 1');
  expect(refusalOf(() => readCorpus('{"id":"a"}\nnope')).message).toContain('Line 2');
});
