/** Conversations that are interrupted and resumed: no paid call is made twice. */
import { main, PARKED } from './case-files.ts';
import type { DriverCase } from './case.ts';

/** An agent that pays once, and whose model then once has no key. */
function paying(
  name: string,
  more: Pick<DriverCase, 'answers' | 'goesOn'> & {
    readonly routes?: string;
    readonly says?: string;
    readonly effects?: DriverCase['effects'];
  },
): DriverCase {
  const pay = `{tool_calls: [{name: act, arguments: {of: ${JSON.stringify(name)}, as: pay}}]}`;
  const { routes = '', says = `${pay}, {fail: {kind: provider.auth}}, {answer: done}` } = more;
  return {
    name,
    isReal: true,
    files: main(
      `  - {name: a, prompt: Pay, model: sim/one, tools: [act], routes: [{to: $end}${routes}]}`,
      '',
      `, runtime: {simulate: {one: [${says.replaceAll('PAY', pay)}]}}`,
    ),
    effects: more.effects ?? { pay: { output: { paid: true } } },
    ...(more.answers === undefined ? {} : { answers: more.answers }),
    ...(more.goesOn === undefined ? {} : { goesOn: more.goesOn }),
  };
}

const LOST = { kind: 'tool.failed', message: 'The reply was lost', outcome: 'unknown' } as const;

export const CONVERSATION_CASES: readonly DriverCase[] = [
  paying('resumes a conversation that a model failed', { goesOn: [{}] }),
  paying('resumes a conversation that was parked', {
    routes: `, {on_error: provider.auth, park: {for: ${PARKED}, max: 2}}`,
  }),
  paying('resumes a conversation when a person answers `retry`', {
    routes: ', {on_error: provider.auth, ask: {options: [retry, abort]}}',
    answers: ['retry'],
  }),
  paying('replays a conversation that starts anew from the log', {
    routes: ', {on_error: provider.auth, retry: {max: 1, backoff: none}}',
    says: 'PAY, {fail: {kind: provider.auth}}, PAY, PAY, {answer: done}',
  }),
  paying('repeats one call with an unknown outcome, and no other', {
    says: 'PAY, {answer: done}',
    effects: { pay: { fails: [LOST, null], output: { paid: true } } },
    answers: ['repeat'],
  }),
  paying('takes the entered result of a call with an unknown outcome', {
    says: 'PAY, {answer: done}',
    effects: { pay: { fails: [LOST] } },
    answers: [{ edit: { paid: true } }],
  }),
];
