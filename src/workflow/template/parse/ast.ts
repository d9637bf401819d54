/**
 * Syntax tree of a template. Chains are flat (`a + b - c`, `x.y[0]`, `v | f | g` are one node each), so the
 * height of the tree is the nesting of the source, which the parser bounds.
 */
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import type { Span } from '../template-error.ts';

export type Expression =
  | LiteralNode
  | NameNode
  | ListNode
  | DictNode
  | RangeNode
  | PathNode
  | PipeNode
  | SignNode
  | NotNode
  | ArithmeticNode
  | ConcatNode
  | ComparisonNode
  | LogicNode
  | ChoiceNode;

export interface LiteralNode extends Span {
  readonly kind: 'literal';
  readonly value: JsonValue;
}

export interface NameNode extends Span {
  readonly kind: 'name';
  readonly name: string;
}

export interface ListNode extends Span {
  readonly kind: 'list';
  readonly items: readonly Expression[];
}

export interface DictNode extends Span {
  readonly kind: 'dict';
  readonly entries: readonly { readonly key: Expression; readonly value: Expression }[];
}

/** `range(stop)`, `range(start, stop[, step])`. */
export interface RangeNode extends Span {
  readonly kind: 'range';
  readonly args: readonly Expression[];
}

export interface PathNode extends Span {
  readonly kind: 'path';
  readonly root: Expression;
  readonly links: readonly Link[];
}

/** One step along a path; its span is the step alone. */
export type Link = Span &
  (
    | { readonly kind: 'field'; readonly key: string | number }
    | { readonly kind: 'index'; readonly index: Expression }
    | {
        readonly kind: 'slice';
        readonly start: Expression | undefined;
        readonly stop: Expression | undefined;
        readonly step: Expression | undefined;
      }
    | { readonly kind: 'method'; readonly name: string; readonly args: Arguments }
  );

/** In the order of the parameters; undefined where absent. */
export type Arguments = readonly (Expression | undefined)[];

export interface PipeNode extends Span {
  readonly kind: 'pipe';
  readonly input: Expression;
  readonly stages: readonly Stage[];
}

export type Stage = FilterStage | TestStage;

export interface FilterStage extends Span {
  readonly kind: 'filter';
  readonly name: string;
  readonly args: Arguments;
  /** The filter or test that `map`, `select` and similar apply to each item. */
  readonly each: Stage | undefined;
}

export interface TestStage extends Span {
  readonly kind: 'test';
  readonly name: string;
  readonly isNegated: boolean;
  readonly args: Arguments;
}

export interface SignNode extends Span {
  readonly kind: 'sign';
  readonly sign: '+' | '-';
  readonly operand: Expression;
}

export interface NotNode extends Span {
  readonly kind: 'not';
  readonly operand: Expression;
}

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';

export interface ArithmeticNode extends Span {
  readonly kind: 'arithmetic';
  readonly first: Expression;
  readonly rest: readonly Operation<ArithmeticOperator>[];
}

/** `a ~ b ~ c`. */
export interface ConcatNode extends Span {
  readonly kind: 'concat';
  readonly parts: readonly Expression[];
}

export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';

export interface ComparisonNode extends Span {
  readonly kind: 'comparison';
  readonly first: Expression;
  readonly rest: readonly Operation<ComparisonOperator>[];
}

export interface Operation<Operator extends string> {
  readonly operator: Operator;
  readonly operand: Expression;
}

export interface LogicNode extends Span {
  readonly kind: 'logic';
  readonly operator: 'and' | 'or';
  readonly operands: readonly Expression[];
}

/** `value if condition else otherwise`. */
export interface ChoiceNode extends Span {
  readonly kind: 'choice';
  readonly value: Expression;
  readonly condition: Expression;
  readonly otherwise: Expression | undefined;
}

export type Statement = TextNode | OutputNode | IfNode | ForNode | SetNode | CaptureNode;
export type Body = readonly Statement[];

export interface TextNode {
  readonly kind: 'text';
  readonly text: string;
}

export interface OutputNode {
  readonly kind: 'output';
  readonly expression: Expression;
}

export interface IfNode {
  readonly kind: 'if';
  readonly branches: readonly { readonly condition: Expression; readonly body: Body }[];
  readonly otherwise: Body;
}

export interface ForNode {
  readonly kind: 'for';
  /** With more than one, each item is a list that is destructured. */
  readonly targets: readonly string[];
  readonly items: Expression;
  readonly condition: Expression | undefined;
  readonly body: Body;
  /** Rendered when the loop has no rounds. */
  readonly otherwise: Body;
}

export interface SetNode {
  readonly kind: 'set';
  readonly targets: readonly string[];
  readonly value: Expression;
}

/** `{% set name %}…{% endset %}`. */
export interface CaptureNode {
  readonly kind: 'capture';
  readonly target: string;
  readonly body: Body;
}
