/** Renders statements to text. */
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import type { Body, ForNode, IfNode, SetNode, Statement } from '../parse/ast.ts';
import { evaluate, isTrue } from './evaluate.ts';
import { TEMPLATE_LIMITS } from '../template-limits.ts';
import {
  boundOutput,
  charge,
  chargeText,
  exceed,
  fail,
  newBindings,
  type Evaluation,
} from './evaluation.ts';
import { toText } from './to-text.ts';
import { isList, itemsOf } from './values.ts';

interface Output {
  readonly parts: string[];
  chars: number;
}

export function render(run: Evaluation, body: Body): string {
  const output: Output = { parts: [], chars: 0 };
  renderBody(run, body, output);
  return output.parts.join('');
}

function renderBody(run: Evaluation, body: Body, output: Output): void {
  for (const statement of body) {
    charge(run, 1);
    renderStatement(run, statement, output);
  }
}

function renderStatement(run: Evaluation, statement: Statement, output: Output): void {
  switch (statement.kind) {
    case 'text':
      return write(run, output, statement.text);
    case 'output': {
      const value = evaluate(run, statement.expression);
      run.at = statement.expression;
      return write(run, output, toText(run, value));
    }
    case 'if':
      return renderIf(run, statement, output);
    case 'for':
      return renderFor(run, statement, output);
    case 'set':
      return assign(run, statement);
    case 'capture': {
      const text = render(run, statement.body);
      chargeText(run, text.length);
      run.bindings.names.set(statement.target, text);
    }
  }
}

function write(run: Evaluation, output: Output, text: string): void {
  output.chars += text.length;
  boundOutput(run, output.chars);
  output.parts.push(text);
}

function renderIf(run: Evaluation, { branches, otherwise }: IfNode, output: Output): void {
  const taken = branches.find(({ condition }) => isTrue(run, condition));
  renderBody(run, taken?.body ?? otherwise, output);
}

/** A name set inside a round of a loop is gone after it; a name set inside an `if` remains. */
function renderFor(run: Evaluation, node: ForNode, output: Output): void {
  const outer = run.bindings;
  const value = evaluate(run, node.items);
  run.at = node.items;
  const items = chosenItems(run, node, itemsOf(run, value));
  run.at = node.items;
  run.iterations += items.length;
  if (run.iterations > TEMPLATE_LIMITS.iterations) exceed(run, 'iterations');

  for (const [index, item] of items.entries()) {
    charge(run, 1);
    run.at = node.items;
    run.bindings = newBindings(outer);
    bind(run, node.targets, item);
    run.bindings.names.set('loop', loopState(items, index));
    renderBody(run, node.body, output);
  }
  run.bindings = outer;
  if (items.length === 0) renderBody(run, node.otherwise, output);
}

function chosenItems(
  run: Evaluation,
  { targets, condition }: ForNode,
  items: readonly JsonValue[],
): readonly JsonValue[] {
  if (condition === undefined) return items;
  const outer = run.bindings;
  const chosen = items.filter((item) => {
    run.bindings = newBindings(outer);
    bind(run, targets, item);
    return isTrue(run, condition);
  });
  run.bindings = outer;
  return chosen;
}

function assign(run: Evaluation, { targets, value: expression }: SetNode): void {
  const value = evaluate(run, expression);
  run.at = expression;
  bind(run, targets, value);
}

function bind(run: Evaluation, targets: readonly string[], value: JsonValue): void {
  const { names } = run.bindings;
  const [only] = targets;
  if (only !== undefined && targets.length === 1) return void names.set(only, value);
  if (!isList(value) || value.length !== targets.length)
    return fail(run, `Expected a list of ${targets.length}, one for each name`);
  for (const [index, target] of targets.entries()) names.set(target, value[index] ?? null);
}

function loopState(items: readonly JsonValue[], index: number): JsonValue {
  const { length } = items;
  const [before, after] = [items[index - 1], items[index + 1]];
  return {
    index: index + 1,
    index0: index,
    revindex: length - index,
    revindex0: length - index - 1,
    first: index === 0,
    last: index === length - 1,
    length,
    ...(before === undefined ? {} : { previtem: before }),
    ...(after === undefined ? {} : { nextitem: after }),
  };
}
