/**
 * Questions of a run that somebody else closes while the page shows them: who closed them, and the
 * text typed for them here.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { OpenQuestion } from '../../src/history/open-questions.ts';
import type { ClosedQuestion } from '../view/run/page-data.ts';
import { focusIfLost } from './focus.ts';
import { whatIsNow } from './moves.ts';

export interface ClosedQuestions {
  readonly closed: readonly ClosedQuestion[];
  readonly typing: (question: OpenQuestion, text: string) => void;
  /** Called before this page answers it. */
  readonly answering: (question: OpenQuestion) => void;
}

export function useClosedQuestions(
  run: string,
  questions: readonly OpenQuestion[],
): ClosedQuestions {
  const [closed, setClosed] = useState<readonly ClosedQuestion[]>([]);
  const seen = useRef<readonly OpenQuestion[]>([]);
  const own = useRef(new Set<string>());
  const typed = useRef(new Map<string, string>());
  useEffect(() => {
    const open = new Set(questions.map(keyOf));
    const gone = seen.current.filter((question) => {
      const key = keyOf(question);
      return !open.has(key) && !own.current.has(key);
    });
    seen.current = questions;
    for (const question of gone) {
      const key = keyOf(question);
      void whatIsNow(run).then(
        (now) => {
          const words = `The question ${question.gate} is closed. ${now}`;
          setClosed((before) => [...before, { key, words, unsent: typed.current.get(key) }]);
          focusIfLost('.closed-question');
        },
        () => {
          // the server is away: the page is read again when it is back
        },
      );
    }
  }, [run, questions]);
  const typing = useCallback((question: OpenQuestion, text: string) => {
    typed.current.set(keyOf(question), text);
  }, []);
  const answering = useCallback((question: OpenQuestion) => {
    own.current.add(keyOf(question));
    setClosed([]);
  }, []);
  return { closed, typing, answering };
}

function keyOf({ gate, opening }: OpenQuestion): string {
  return `${gate} ${opening ?? ''}`;
}
