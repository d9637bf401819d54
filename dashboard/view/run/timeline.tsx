/**
 * The timeline: a lane for each step on one time axis. Work is solid, backoffs are hatched, waits
 * for a time are light, waits for people are dotted; a gap that stands for the time between legs
 * separates them.
 */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { durationWords } from '../../../src/errors/render/report-words.ts';
import type { Bar, RunView, StepView, TryView } from '../../../src/history/run-view/view.ts';
import { hasOpenFailure } from '../../../src/history/run-view/read-view.ts';
import { Empty, Region } from '../parts.tsx';
import { useSurroundings } from '../surroundings.ts';
import { depthOf } from './steps.tsx';
import { LABEL, timeAxis, type TimeAxis } from './time-axis.ts';
import { inTreeOrder } from './tree-order.ts';

/** At most this many are drawn at once, wherever the page is scrolled to. */
const FEW_LANES = 40;
const LANE = 22;
const WORDS: Readonly<Record<Bar['kind'], string>> = {
  work: 'worked',
  backoff: 'backed off',
  wait: 'waited for a time',
  person: 'waited for a person',
};

export function Timeline({
  view: latest,
  most,
}: {
  readonly view: RunView;
  /** The most lanes to draw. */
  readonly most: number;
}): JSX.Element {
  const { nowMs: presentMs } = useSurroundings();
  // all lanes change with the axis: if there are many, they move with the clock and not with every
  // event
  const isFew = latest.steps.length <= FEW_LANES || latest.endedAt !== undefined;
  const view = useMemo(() => latest, [isFew ? latest : presentMs]);
  // nothing moves in a run that has ended
  const nowMs = view.endedAt === undefined ? presentMs : Date.parse(view.endedAt);
  const axis = useMemo(() => timeAxis(view, nowMs), [view, nowMs]);
  const steps = useMemo(() => inTreeOrder(view.steps.slice(0, most)), [view.steps, most]);
  const lanes = useMemo(
    () =>
      steps.map((step) => (
        <Lane
          key={step.path}
          step={step}
          isBad={hasOpenFailure(view, step)}
          axis={axis}
          nowMs={nowMs}
        />
      )),
    [axis, steps],
  );
  const legend = useMemo(() => <Legend view={view} steps={steps} />, [view, steps]);
  return (
    <Region name="Timeline" id="timeline" aside={legend}>
      {steps.length === 0 && <Empty>No node has started yet.</Empty>}
      {steps.length > 0 && (
        <div class="timeline">
          <Patterns />
          <ol class="lanes">{lanes}</ol>
          <Axis axis={axis} />
        </div>
      )}
      {view.steps.length > steps.length && (
        <p>The first {steps.length} steps; the table of steps has all of them.</p>
      )}
      <Gaps axis={axis} />
    </Region>
  );
}

function Axis({ axis }: { readonly axis: TimeAxis }): JSX.Element {
  return (
    <div class="lane axis" aria-hidden="true">
      <span class="lane-name" />
      <svg class="lane-bars" width="100%" height="18">
        {axis.ticks.map(({ x, ms }) => (
          <text key={`${x} ${ms}`} x={`${x}%`} y="13" class="tick">
            {durationWords(ms)}
          </text>
        ))}
        {axis.parts
          .filter(({ isGap, width }) => isGap && width >= LABEL)
          .map(({ x, width, fromMs, toMs }) => (
            <text
              key={`gap ${x}`}
              x={`${x + width / 2}%`}
              y="13"
              class="tick rest"
              text-anchor="middle"
            >
              ⋯ {durationWords(toMs - fromMs)} ⋯
            </text>
          ))}
      </svg>
    </div>
  );
}

function Lane({
  step,
  isBad: isUnsolved,
  axis,
  nowMs,
}: {
  readonly step: StepView;
  /** It failed, and nothing has handled that. */
  readonly isBad: boolean;
  readonly axis: TimeAxis;
  readonly nowMs: number;
}): JSX.Element {
  const failed = new Set(step.tries.filter(isFailed).map(({ seq }) => seq));
  const tries = [...step.tries];
  return (
    <li class="lane">
      <span class={`lane-name depth-${Math.min(6, depthOf(step.path))}`}>{step.path}</span>
      <svg class="lane-bars" width="100%" height={LANE} aria-hidden="true" focusable="false">
        {axis.parts
          .filter(({ isGap }) => isGap)
          .map(({ x, width }) => (
            <rect key={x} class="gap" x={`${x}%`} width={`${width}%`} y="0" height={LANE} />
          ))}
        {step.bars.map((bar, index) => {
          const from = axis.at(Date.parse(bar.from));
          const to = axis.at(bar.to === undefined ? nowMs : Date.parse(bar.to));
          const seq = tries[bar.inTry]?.seq;
          const hasFailed = bar.kind === 'work' && seq !== undefined && failed.has(seq);
          const how = isUnsolved ? ' bad' : ' taken-back';
          const tone = hasFailed ? how : '';
          return (
            <rect
              key={index}
              class={`bar ${bar.kind}${tone}`}
              x={`${from}%`}
              width={`${Math.max(0.25, to - from)}%`}
              y={bar.kind === 'work' ? 5 : 8}
              height={bar.kind === 'work' ? 12 : 6}
              rx="2"
            />
          );
        })}
      </svg>
      <span class="visually-hidden">{laneWords(step, nowMs)}</span>
    </li>
  );
}

/** The lane in words, for people who do not see it. */
function laneWords({ bars, status }: StepView, nowMs: number): string {
  const parts = bars.map(({ kind, from, to }) => {
    const ms = (to === undefined ? nowMs : Date.parse(to)) - Date.parse(from);
    return `${WORDS[kind]} ${durationWords(Math.max(0, ms))}`;
  });
  return `: ${[...parts, status].join(', ')}`;
}

/** Patterns show the kinds of waiting, so that nobody needs the colours. */
function Patterns(): JSX.Element {
  return (
    <svg width="0" height="0" aria-hidden="true" focusable="false" class="visually-hidden">
      <defs>
        <pattern
          id="hatch"
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <path d="M0 0v6" class="pattern-lines" />
        </pattern>
        <pattern id="dots" width="6" height="6" patternUnits="userSpaceOnUse">
          <circle cx="3" cy="3" r="1.3" class="pattern-dots" />
        </pattern>
      </defs>
    </svg>
  );
}

function Legend({
  view,
  steps,
}: {
  readonly view: RunView;
  /** The steps that are drawn. */
  readonly steps: readonly StepView[];
}): JSX.Element {
  const failed = steps.filter(({ tries }) => tries.find(isFailed) !== undefined);
  const isBad = (step: StepView): boolean => hasOpenFailure(view, step);
  const marks = [
    ['work', 'work'],
    ...(failed.some(isBad) ? [['work bad', 'failed']] : []),
    ...(failed.every(isBad) ? [] : [['work taken-back', 'failed, handled']]),
    ...Object.entries(LEGEND),
  ];
  return (
    <span class="legend" aria-hidden="true">
      {marks.map(([kind, word]) => (
        <span key={kind}>
          <svg width="18" height="10">
            <rect class={`bar ${kind}`} x="0" y="1" width="18" height="8" rx="2" />
          </svg>
          {word}
        </span>
      ))}
    </span>
  );
}

function isFailed({ status }: TryView): boolean {
  return status === 'failed';
}

const LEGEND: Readonly<Record<Exclude<Bar['kind'], 'work'>, string>> = {
  backoff: 'backoff',
  wait: 'time',
  person: 'people',
};

/** The length of each rest. */
function Gaps({ axis }: { readonly axis: TimeAxis }): JSX.Element | null {
  const gaps = axis.parts.filter(({ isGap }) => isGap);
  if (gaps.length === 0) return null;
  const lengths = gaps.map(({ fromMs, toMs }) => durationWords(toMs - fromMs));
  return (
    <p class="note">
      Between its legs lie {lengths.join(', then ')}: the run rested, or its process was gone. Every
      such gap is drawn equally wide, however long it was.
    </p>
  );
}
