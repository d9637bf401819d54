/** The open questions of all runs, the oldest deadline first, each answered in place. */
import { useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { JsonValue } from '../../../src/errors/support/safe-json.ts';
import type { ShownProblem } from '../../../src/server/http/problem-response.ts';
import { GateCard, gateHeading, type ListedGate } from '../../view/gate-card.tsx';
import { Unsent } from '../../view/closed-question.tsx';
import { Empty, PageLink, ProblemBox } from '../../view/parts.tsx';
import { read, role, v1, withQuery } from '../api.ts';
import { useAction, useResource, useThrottled, useTitle, type Resource } from '../hooks.ts';
import { countQuestionsSoon, lastChange } from '../live.ts';
import { answerGate, isConflict, whatIsNow } from '../moves.ts';
import { focusOn } from '../focus.ts';

interface GatesAnswer {
  readonly gates: readonly ListedGate[];
  readonly next?: string;
}

/** The fate of a question that was answered here, or that somebody else closed. */
interface Settled {
  readonly key: string;
  readonly run: string;
  readonly words?: string;
  readonly problem?: ShownProblem;
  /** An answer that was typed here and not sent. */
  readonly unsent?: string | undefined;
}

const REFRESH_MS = 500;

export function GatesPage(): JSX.Element {
  useTitle('Questions');
  const [limit, setLimit] = useState(50);
  const list = useResource(`gates ${limit}`, () =>
    read<GatesAnswer>(withQuery(v1('gates'), { limit: String(limit) })),
  );
  const refresh = useThrottled(() => void list.reload(), REFRESH_MS);
  useSignalEffect(() => {
    if (lastChange.value !== undefined) refresh();
  });
  const { settled, isBusy, answer, typing } = useAnswers(list);
  const mayRun = role.value === 'run' || role.value === 'edit';
  const gates = list.data?.gates ?? [];
  return (
    <>
      <h1 tabIndex={-1}>Questions</h1>
      {list.problem !== undefined && <ProblemBox problem={list.problem} />}
      <Notices settled={settled.filter(({ key }) => !gates.some((gate) => keyOf(gate) === key))} />
      {list.data !== undefined && gates.length === 0 && <Empty>No question is open.</Empty>}
      {gates.map((gate) => {
        const known = settled.find(({ key }) => key === keyOf(gate));
        return (
          <GateCard
            key={keyOf(gate)}
            gate={gate}
            mayRun={mayRun}
            isBusy={isBusy}
            problem={known?.problem}
            now={known?.words}
            answer={(value) => answer(gate, value)}
            typing={(text) => typing(gate, text)}
          />
        );
      })}
      {list.data?.next !== undefined && (
        <p class="buttons">
          <button type="button" onClick={() => setLimit(200)}>
            Show more
          </button>
        </p>
      )}
    </>
  );
}

/** Answers one question at a time, and keeps the fate of each. */
function useAnswers(list: Resource<GatesAnswer>) {
  const [settled, setSettled] = useState<readonly Settled[]>([]);
  const { act, isBusy } = useAction();
  const note = (one: Settled): void =>
    setSettled((before) => [...before.filter(({ key }) => key !== one.key), one]);
  const own = useRef(new Set<string>());
  const typed = useRef(new Map<string, string>());
  useClosedMeanwhile(list.data?.gates, own.current, (one) =>
    note({ ...one, unsent: typed.current.get(one.key) }),
  );
  const answer = async (gate: ListedGate, value: JsonValue): Promise<ShownProblem | undefined> => {
    const [key, { run, workflow }] = [keyOf(gate), gate];
    own.current.add(key);
    let refusal: ShownProblem | undefined;
    await act(async () => {
      const following = headingsAfter(run, gate.gate);
      const { problem, words } = await answerGate(run, gate, value);
      refusal = problem;
      if (problem === undefined) note({ key, run, words: `${workflow}: ${words}` });
      else note({ key, run, problem, ...(await refusedWords(run, problem)) });
      await list.reload();
      countQuestionsSoon();
      // the answered question is gone: focus the one after it, else the first, or the heading
      if (problem === undefined) focusOn(...following, 'main article h2', 'main h1');
    });
    return refusal;
  };
  const typing = (gate: ListedGate, text: string): void => {
    typed.current.set(keyOf(gate), text);
  };
  return { settled, isBusy, answer, typing };
}

/** Selectors of the headings of the questions after this one. */
function headingsAfter(run: string, gate: string): readonly string[] {
  const all = [...document.querySelectorAll('main article h2')].map(({ id }) => id);
  return all.slice(all.indexOf(gateHeading(run, gate)) + 1).map((id) => `#${CSS.escape(id)}`);
}

async function refusedWords(run: string, problem: ShownProblem): Promise<Pick<Settled, 'words'>> {
  if (!isConflict(problem)) return {};
  return { words: `Your answer was not taken. ${await whatIsNow(run)}` };
}

/** Reports the fate of questions that somebody else has closed. */
function useClosedMeanwhile(
  gates: readonly ListedGate[] | undefined,
  own: ReadonlySet<string>,
  note: (settled: Settled) => void,
): void {
  const seen = useRef<readonly ListedGate[]>([]);
  useEffect(() => {
    if (gates === undefined) return;
    const open = new Set(gates.map(keyOf));
    for (const gate of seen.current) {
      const key = keyOf(gate);
      if (open.has(key) || own.has(key)) continue;
      void whatIsNow(gate.run).then(
        (now) =>
          note({
            key,
            run: gate.run,
            words: `${gate.workflow} ${gate.gate} is closed. ${now}`,
          }),
        () => {
          // the run was removed, or the server is away: the list shows the open questions
        },
      );
    }
    seen.current = gates;
  }, [gates]);
}

/** Notices about questions that have left the list. */
function Notices({ settled }: { readonly settled: readonly Settled[] }): JSX.Element {
  return (
    <>
      {settled.map(({ key, run, words, problem, unsent }) => (
        <div key={key} class="notice">
          {problem !== undefined && <ProblemBox problem={problem} />}
          {words !== undefined && (
            <p>
              {words} <PageLink to={`/runs/${encodeURIComponent(run)}`}>Open the run</PageLink>
            </p>
          )}
          <Unsent text={unsent} />
        </div>
      ))}
    </>
  );
}

function keyOf({ run, gate, opening }: ListedGate): string {
  return `${run} ${gate} ${opening ?? ''}`;
}
