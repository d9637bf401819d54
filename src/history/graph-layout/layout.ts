/** A laid out graph: where each box, port and line is. Lengths are in pixels, from the top left corner. */
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import type { MoveType } from '../../workflow/plan/route-plan.ts';

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  /** Outer boxes come first, so that drawing in this order is right. */
  readonly boxes: readonly LayoutBox[];
  /** Success routes. */
  readonly lines: readonly LayoutLine[];
}

export interface LayoutBox {
  /** Names of the nodes from the outside in: the path of a step without the keys of members. */
  readonly id: string;
  readonly name: string;
  readonly type: NodePlan['type'];
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The box that it is inside. */
  readonly inside?: string;
  /** Whether it has boxes inside. */
  readonly holds: boolean;
  /** Where the run, or the workflow of the box around it, begins. */
  readonly isEntry: boolean;
  /** Error routes, in the order of the file; then those of the whole workflow. */
  readonly ports: readonly LayoutPort[];
}

export interface LayoutPort {
  readonly id: string;
  readonly rule: number;
  readonly bucket: 'error' | 'workflow';
  /** For which kinds, and what follows: `provider.* → apologise`. */
  readonly label: string;
  readonly move: MoveType;
  /** The node that follows, or `$end`. */
  readonly to?: string;
  /** The box of that node. */
  readonly target?: string;
  readonly x: number;
  readonly y: number;
  /** The line that is drawn when the route is taken, hovered or selected. */
  readonly path: string;
}

export interface LayoutLine {
  readonly id: string;
  /** Box that it begins at. */
  readonly from: string;
  /** Absent for the option of a gate. */
  readonly rule?: number;
  /** The option of a gate that leads there. */
  readonly option?: string;
  readonly move: MoveType;
  readonly to?: string;
  /** Absent for `$end` and for moves that lead to no node. */
  readonly target?: string;
  /** The guard as it is written. */
  readonly when?: string;
  /** It leads back, and runs along the side. */
  readonly isBack: boolean;
  /** For the `d` of an SVG path. */
  readonly path: string;
  /** Where its head is. */
  readonly end: { readonly x: number; readonly y: number };
}

/** The box of a step: keys of members are not part of the graph. */
export function boxIdOf(path: string): string {
  let id = '';
  let from = 0;
  // by hand: a run asks this of every event, and a pattern takes several times as long
  for (;;) {
    const open = path.indexOf('[', from);
    const close = open < 0 ? -1 : path.indexOf(']', open);
    if (close < 0) return id + path.slice(from);
    id += path.slice(from, open);
    from = close + 1;
  }
}
