/**
 * The picture of a graph: success routes as lines, error routes as ports of their node. The line of
 * an error route is drawn only if it was taken, or if the pointer is on its port; only the path of
 * an open failure is red.
 */
import type { JSX, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type {
  GraphLayout,
  LayoutBox,
  LayoutLine,
  LayoutPort,
} from '../../../src/history/graph-layout/layout.ts';
import { spaced } from '../../text/words.ts';
import { SHAPES } from '../status.tsx';
import { failureKey, successKey, type BoxState, type TakenRoutes } from './box-states.ts';

export interface GraphPictureProps {
  readonly layout: GraphLayout;
  /** Absent for a workflow without a run. */
  readonly states?: ReadonlyMap<string, BoxState> | undefined;
  readonly taken?: TakenRoutes | undefined;
  /** The box whose step is open beside it. */
  readonly chosen?: string | undefined;
  readonly choose?: ((box: string) => void) | undefined;
  /** A sentence that describes the picture. */
  readonly summary: string;
}

export function GraphPicture(props: GraphPictureProps): JSX.Element {
  const { layout, taken, summary } = props;
  const picture = useInSight(boxThatMatters(props));
  const [pointed, setPointed] = useState<string | undefined>(undefined);
  const [selected, setSelected] = useState<string | undefined>(undefined);
  const select = (id: string): void => setSelected(selected === id ? undefined : id);
  const ports = layout.boxes.flatMap((box) => box.ports.map((port) => ({ box, port })));
  const drawn = ports.filter(
    ({ box, port }) =>
      port.id === pointed || port.id === selected || taken?.failure.has(keyOf(box, port)) === true,
  );
  return (
    <div class="graph" role="group" aria-label="Graph, scrolls" tabIndex={0} ref={picture}>
      <svg
        role="img"
        aria-label="Workflow graph"
        aria-describedby="graph-summary"
        width={layout.width}
        height={layout.height}
        viewBox={`0 0 ${layout.width} ${layout.height}`}
      >
        <Heads />
        {/* lines pass behind boxes without content, and in front of those around others */}
        <Boxes {...props} boxes={layout.boxes.filter(({ holds }) => holds)} />
        {layout.lines.map((line) => (
          <SuccessLine
            key={line.id}
            line={line}
            isTaken={taken?.success.has(successKey(line.from, line)) === true}
            isLive={taken !== undefined}
          />
        ))}
        <Boxes {...props} boxes={layout.boxes.filter(({ holds }) => !holds)} />
        <Ports ports={ports} taken={taken} point={setPointed} select={select} />
        <ErrorLines ports={drawn} taken={taken} />
      </svg>
      <p id="graph-summary" class="visually-hidden">
        {summary}
      </p>
    </div>
  );
}

/** The open box, else a failed one, else a waiting one: it may be the last of two hundred. */
function boxThatMatters({ layout, states, chosen }: GraphPictureProps): LayoutBox | undefined {
  const boxes = layout.boxes.filter(({ holds }) => !holds);
  return (
    layout.boxes.find(({ id }) => id === chosen) ??
    boxes.find(({ id }) => states?.get(id)?.isBad === true) ??
    boxes.find(({ id }) => states?.get(id)?.status === 'waiting')
  );
}

/** Scrolls a picture that is larger than its frame to a box outside it. */
function useInSight(box: LayoutBox | undefined): RefObject<HTMLDivElement | null> {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = frame;
    if (current === null || box === undefined) return;
    const { scrollTop, scrollLeft, clientHeight, clientWidth } = current;
    const { x, y, width, height } = box;
    const isInHeight = y >= scrollTop && y + height <= scrollTop + clientHeight;
    const isInWidth = x >= scrollLeft && x + width <= scrollLeft + clientWidth;
    if (!isInHeight || !isInWidth)
      current.scrollTo(x + (width - clientWidth) / 2, y + (height - clientHeight) / 2);
  }, [box?.id]);
  return frame;
}

function Boxes({
  boxes,
  states,
  chosen,
  choose,
}: GraphPictureProps & { readonly boxes: readonly LayoutBox[] }): JSX.Element {
  return (
    <>
      {boxes.map((box) => (
        <Box
          key={box.id}
          box={box}
          state={states?.get(box.id)}
          isLive={states !== undefined}
          isChosen={box.id === chosen}
          choose={choose}
        />
      ))}
    </>
  );
}

interface PlacedPort {
  readonly box: LayoutBox;
  readonly port: LayoutPort;
}

/**
 * The ports of the whole workflow's table are the same at every node, so they are drawn only as
 * lines.
 */
function Ports({
  ports,
  taken,
  point,
  select,
}: {
  readonly ports: readonly PlacedPort[];
  readonly taken: TakenRoutes | undefined;
  readonly point: (id: string | undefined) => void;
  readonly select: (id: string) => void;
}): JSX.Element {
  return (
    <>
      {ports
        .filter(({ port }) => port.bucket === 'error')
        .map(({ box, port }) => (
          <Port
            key={port.id}
            port={port}
            isTaken={taken?.failure.has(keyOf(box, port)) === true}
            isOpen={taken?.failure.get(keyOf(box, port)) === true}
            point={point}
            select={() => select(port.id)}
            width={box.width}
          />
        ))}
    </>
  );
}

function ErrorLines({
  ports,
  taken,
}: {
  readonly ports: readonly PlacedPort[];
  readonly taken: TakenRoutes | undefined;
}): JSX.Element {
  return (
    <>
      {ports.map(({ box, port }) => {
        const isOpen = taken?.failure.get(keyOf(box, port)) === true;
        return (
          <path
            key={port.id}
            data-route="error"
            data-from={box.name}
            class={`route error${isOpen ? ' open' : ''}`}
            d={port.path}
            marker-end={isOpen ? 'url(#head-bad)' : 'url(#head-error)'}
          />
        );
      })}
    </>
  );
}

function keyOf(box: LayoutBox, { bucket, rule }: LayoutPort): string {
  return failureKey(box.id, bucket, rule);
}

function Heads(): JSX.Element {
  return (
    <defs>
      {['line', 'taken', 'error', 'bad'].map((name) => (
        <marker
          key={name}
          id={`head-${name}`}
          class={`head ${name}`}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="7"
          markerHeight="7"
          orient="auto-start-reverse"
        >
          <path d="M0 0.5L8 4L0 7.5z" />
        </marker>
      ))}
    </defs>
  );
}

function SuccessLine({
  line,
  isTaken,
  isLive,
}: {
  readonly line: LayoutLine;
  readonly isTaken: boolean;
  readonly isLive: boolean;
}): JSX.Element {
  const untaken = isLive ? ' untaken' : '';
  const tone = isTaken ? ' taken' : untaken;
  return (
    <path
      data-route="success"
      data-from={line.from}
      class={`route${tone}`}
      d={line.path}
      marker-end={isTaken ? 'url(#head-taken)' : 'url(#head-line)'}
    >
      {line.when !== undefined && <title>{line.when}</title>}
    </path>
  );
}

const ICON_AT = 9;
/** Estimated widths of a letter, since measuring would need a drawing. */
const NAME_CHAR = 8.6;
const SMALL_CHAR = 7;

function Box({
  box,
  state,
  isLive,
  isChosen,
  choose,
}: {
  readonly box: LayoutBox;
  readonly state: BoxState | undefined;
  readonly isLive: boolean;
  readonly isChosen: boolean;
  readonly choose: GraphPictureProps['choose'];
}): JSX.Element {
  const { x, y, width, height, name, type } = box;
  const status = state?.status ?? (isLive ? 'pending' : 'none');
  const nameAt = state === undefined ? 10 : 28;
  const room = width - nameAt - 10;
  const fits = (words: string): boolean =>
    name.length * NAME_CHAR + words.length * SMALL_CHAR <= room;
  const beside = countWords(state).find(fits) ?? spaced(type);
  return (
    <g
      class={`box${box.holds ? ' holds' : ''}${isChosen ? ' chosen' : ''}`}
      data-node={name}
      data-box={box.id}
      data-status={status}
      data-bad={state?.isBad === true ? '' : undefined}
      {...(choose === undefined || state === undefined ? {} : { onClick: () => choose(box.id) })}
    >
      <title>{boxWords(box, state)}</title>
      <rect x={x} y={y} width={width} height={height} rx="6" />
      {box.isEntry && <circle class="entry" cx={x + width / 2} cy={y} r="4" />}
      {state !== undefined && (
        <path
          class="box-icon"
          d={SHAPES[state.status]}
          transform={`translate(${x + ICON_AT} ${y + 9})`}
        />
      )}
      <text class="box-name" x={x + nameAt} y={y + 22}>
        {clipped(name, room / NAME_CHAR)}
      </text>
      {fits(beside) && (
        <text class="box-type" x={x + width - 10} y={y + 22} text-anchor="end">
          {beside}
        </text>
      )}
    </g>
  );
}

/** From long to short: the first that fits is drawn. */
function countWords(state: BoxState | undefined): readonly string[] {
  if (state === undefined) return [];
  const { members, steps, counts, isCut } = state;
  if (members !== undefined) return endedWords(members.succeeded, members.all, members.failed);
  if (steps < 2 || isCut) return [];
  return endedWords(counts.completed ?? 0, steps, counts.failed ?? 0);
}

function endedWords(done: number, all: number, failed: number): readonly string[] {
  return failed === 0
    ? [`${done} of ${all}`, `${done}/${all}`]
    : [`${done} of ${all}, ${failed} failed`, `${failed}/${all} failed`, `${failed} failed`];
}

function boxWords({ name, type }: LayoutBox, state: BoxState | undefined): string {
  if (state === undefined) return `${name}, ${spaced(type)}`;
  const counts = Object.entries(state.counts).map(([status, count]) => `${count} ${status}`);
  return `${name}, ${spaced(type)}: ${state.steps < 2 ? state.status : counts.join(', ')}`;
}

function Port({
  port,
  isTaken,
  isOpen,
  point,
  select,
  width,
}: {
  readonly port: LayoutPort;
  readonly isTaken: boolean;
  readonly isOpen: boolean;
  readonly point: (id: string | undefined) => void;
  readonly select: () => void;
  readonly width: number;
}): JSX.Element {
  return (
    <g
      class={`port${isTaken ? ' taken' : ''}${isOpen ? ' open' : ''}`}
      onMouseEnter={() => point(port.id)}
      onMouseLeave={() => point(undefined)}
      onClick={(event) => {
        event.stopPropagation();
        select();
      }}
    >
      <title>{port.label}</title>
      <rect class="port-row" x={port.x - width} y={port.y - 9} width={width} height="18" />
      <text x={port.x - 10} y={port.y + 4} text-anchor="end">
        {clipped(port.label, (width - 22) / 6.2)}
      </text>
      <circle cx={port.x} cy={port.y} r="4" />
    </g>
  );
}

function clipped(text: string, chars: number): string {
  const most = Math.max(3, Math.floor(chars));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
