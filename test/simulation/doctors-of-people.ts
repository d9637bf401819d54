/** For each law of agents, tools and people, a run of the sample that was doctored against it. */
import {
  asFailed,
  at,
  doctored,
  withAgain,
  withError,
  withExecutions,
  withMessages,
  withNode,
} from './doctored.ts';
import * as conversations from '../../src/rehearsal/laws/conversations.ts';
import * as repeated from '../../src/rehearsal/laws/nothing-repeated.ts';
import * as peopleLaws from '../../src/rehearsal/laws/people.ts';
import * as shownToModel from '../../src/rehearsal/laws/shown-to-model.ts';
import * as toolLaws from '../../src/rehearsal/laws/tools.ts';
import type { Law, Subject } from '../../src/rehearsal/laws/subject.ts';

export const DOCTORS_OF_PEOPLE: readonly (readonly [Law, (people: Subject) => Subject])[] = [
  [
    toolLaws.approvalsAreExact,
    (people) =>
      withExecutions(people, (each) =>
        each.work.type === 'tool' && each.work.tool === 'charge'
          ? [{ ...each, work: { ...each.work, arguments: { id: 100 } } }]
          : [each],
      ),
  ],
  [
    repeated.doneIsDone,
    (people) =>
      withExecutions(people, (each) => [
        each,
        ...(each.effect.target === 'charge' ? [{ ...each, afterSeq: each.afterSeq + 20 }] : []),
      ]),
  ],
  [
    conversations.nothingIsForgotten,
    (people) =>
      withMessages(people, (message) =>
        message.role === 'tool' ? { role: 'user', text: 'It was done' } : message,
      ),
  ],
  [toolLaws.guardsAreObeyed, (people) => ({ ...people, judge: () => 'ask' })],
  [
    toolLaws.refusedTwiceIsTheEnd,
    (people) => doctored(people, (event) => asFailed(people, event, 'tool.denied')),
  ],
  [
    toolLaws.correctionsAreFew,
    (people) => doctored(people, (event) => asFailed(people, event, 'tool.input_invalid')),
  ],
  [toolLaws.writesArePermitted, (people) => withNode(people, 'm', { writes: [] })],
  [
    shownToModel.shownWhatIsSo,
    (people) =>
      withMessages(people, (message) =>
        message.role === 'tool' ? { ...message, result: { n: 'invented' } } : message,
      ),
  ],
  [shownToModel.offeredWhatIsAllowed, (people) => withNode(people, 'm', { tools: ['lookup'] })],
  [
    shownToModel.partsAreApart,
    (people) =>
      doctored(people, (event) =>
        event.type === 'effect:succeeded' && event.errors !== undefined
          ? {
              ...event,
              output: [event.output, ...event.errors.map(({ kind }) => kind)],
              errors: [],
            }
          : event,
      ),
  ],
  [
    shownToModel.doubtIsSaid,
    (people) => withError(people, at('effect:failed', 't'), { kind: 'mcp.unreachable' }),
  ],
  [peopleLaws.oneAnswerPerGate, (people) => withAgain(people, at('gate:answered', 'h'))],
  [
    peopleLaws.answersAreJudged,
    (people) => ({
      ...people,
      legs: people.legs.map((leg) =>
        leg.answer === undefined ? leg : { ...leg, answer: { ...leg.answer, value: 'perhaps' } },
      ),
    }),
  ],
  [
    peopleLaws.anEditIsTheResult,
    (people) =>
      doctored(people, (event) =>
        event.type === 'gate:answered' ? { ...event, value: { edit: null } } : event,
      ),
  ],
  [peopleLaws.expiredGatesContinue, (people) => withNode(people, 'g', { default: undefined })],
  [
    peopleLaws.nobodyIsAsked,
    (people) =>
      doctored(people, (event) =>
        event.type === 'run:started' ? { ...event, gates: false } : event,
      ),
  ],
  [
    peopleLaws.decisionsAreAudited,
    (people) =>
      doctored(people, (event) =>
        // the audit recognises a gate for calls by its options
        event.type === 'gate:opened' ? { ...event, options: [...event.options, 'later'] } : event,
      ),
  ],
];
