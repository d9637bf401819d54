/** Bars: what a step did when, as consecutive stretches on the time axis. */
import { List } from './shared-list.ts';
import type { Bar, StepView, TryView } from './view.ts';

/** Ends what the step does now, if anything, and begins the next stretch. */
export function beginBar(
  step: StepView,
  kind: Bar['kind'],
  { at, until }: { readonly at: string; readonly until?: string | undefined },
): StepView {
  const inTry = Math.max(0, step.tries.length - 1);
  const bar: Bar = { kind, from: at, ...(until === undefined ? {} : { until }), inTry };
  const { bars } = endBar(step, at);
  return { ...step, bars: bars.add(bar) };
}

/** Leaves out a stretch that took no time, unless it is the only one. */
export function endBar(step: StepView, at: string): StepView {
  const last = step.bars.at(-1);
  if (last === undefined || last.to !== undefined) return step;
  const isNothing = last.from === at && step.bars.length > 1;
  const bars = isNothing
    ? step.bars.withoutLast()
    : step.bars.with(step.bars.length - 1, { ...last, to: at });
  return { ...step, bars };
}

/** Renames the open stretch, once its kind is known. */
export function renameBar(step: StepView, kind: Bar['kind'], until?: string): StepView {
  const last = step.bars.at(-1);
  if (last === undefined || last.to !== undefined || last.kind === kind) return step;
  const renamed: Bar = { ...last, kind, ...(until === undefined ? {} : { until }) };
  return { ...step, bars: step.bars.with(step.bars.length - 1, renamed) };
}

export function openBar({ bars }: StepView): Bar | undefined {
  const last = bars.at(-1);
  return last?.to === undefined ? last : undefined;
}

export function beginTry(step: StepView, begun: Omit<TryView, 'status'>): StepView {
  return { ...step, tries: step.tries.add({ ...begun, status: 'running' }) };
}

/** Changes the latest try, where there is one. */
export function changeTry(step: StepView, change: Partial<TryView>): StepView {
  const last = step.tries.at(-1);
  if (last === undefined) return step;
  return { ...step, tries: step.tries.with(step.tries.length - 1, { ...last, ...change }) };
}

export function endTry(
  step: StepView,
  status: TryView['status'],
  { at, error }: { readonly at: string; readonly error?: TryView['error'] },
): StepView {
  if (step.tries.at(-1)?.status !== 'running') return step;
  return changeTry(step, { status, endedAt: at, ...(error === undefined ? {} : { error }) });
}

export const NO_ITEMS: List<never> = List.of<never>([]);
