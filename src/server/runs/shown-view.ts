/** A view as it is sent: with links in place of large values. */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { List } from '../../history/run-view/shared-list.ts';
import type { GivenAnswer, RunView } from '../../history/run-view/view.ts';
import { shownValue, valueHref, type ValueName } from './shown-values.ts';

export function shownView(view: RunView, base: string): RunView {
  const { run, input, output, answers } = view;
  const shown = (value: JsonValue, of: ValueName, place: Place = {}): JsonValue => {
    // a link is JSON too
    return shownValue(value, () => valueHref(base, run, { of, ...place })) as JsonValue;
  };
  const shownAnswer = (answer: GivenAnswer): GivenAnswer => {
    const { value, path, seq } = answer;
    return value === undefined
      ? answer
      : { ...answer, value: shown(value, 'answer', { path, at: seq }) };
  };
  return {
    ...view,
    input: shown(input, 'input'),
    ...(output === undefined ? {} : { output: shown(output, 'output') }),
    answers: List.of(answers.map(shownAnswer)),
  };
}

interface Place {
  readonly path?: string;
  readonly at?: number;
}
