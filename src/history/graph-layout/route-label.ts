/** Labels of error routes: for which kinds, and what follows. */
import type { GraphRoute } from '../workflow-graph.ts';

export function routeLabel({ onError, move, to }: GraphRoute): string {
  return `${kindsLabel(onError)} ${moveLabel(move, to)}`;
}

function kindsLabel(onError: GraphRoute['onError']): string {
  return onError === undefined || onError === true ? 'any' : onError.join(', ');
}

function moveLabel(move: GraphRoute['move'], to: string | undefined): string {
  switch (move) {
    case 'to':
      return `→ ${to ?? ''}`;
    case 'retry':
      return '↻ retry';
    case 'ask':
      return '? ask';
    case 'park':
      return '‖ park';
    case 'halt':
      return '■ halt';
    case 'propagate':
      return '↑ propagate';
  }
}
