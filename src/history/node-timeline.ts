/** Timeline of each node of a run, as lists of nodes show it. */
import type { PersonReport } from '../errors/report/audiences.ts';
import type { RunEvent } from '../machine/state/events.ts';
import { beginView, reduceView } from './run-view.ts';
import { stepAt } from './run-view/steps.ts';
import type { RunView, StepStatus, StepView } from './run-view/view.ts';

export interface NodeTimeline {
  readonly path: string;
  readonly status: StepStatus;
  /** How often it was started. */
  readonly attempts: number;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly error?: PersonReport;
}

/** In the order in which they first started. */
export function nodeTimelines({ steps }: RunView): readonly NodeTimeline[] {
  return steps.map(timelineOf);
}

/** The timelines of a run, event by event. */
export class NodeTimelines {
  #view = beginView({ run: '', workflow: '', startedAt: '' });

  /** In the order in which they first started. */
  get nodes(): readonly NodeTimeline[] {
    return nodeTimelines(this.#view);
  }

  isHolder(path: string): boolean {
    return stepAt(this.#view, path)?.holds === true;
  }

  /** Returns the path inside which everything has stopped with this event; `''` is the whole run. */
  note(event: RunEvent): string | undefined {
    const before = this.#view;
    this.#view = reduceView(before, event);
    if (!('path' in event)) return this.#view.endedAt === event.at ? '' : undefined;
    const step = stepAt(this.#view, event.path);
    const isOver = step?.endedAt !== undefined && stepAt(before, event.path)?.endedAt === undefined;
    return isOver && step.holds ? event.path : undefined;
  }
}

function timelineOf({ path, status, attempts, startedAt, endedAt, error }: StepView): NodeTimeline {
  return {
    path,
    status,
    attempts,
    startedAt,
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(error === undefined ? {} : { error }),
  };
}
