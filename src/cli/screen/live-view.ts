/** Draws the live view in place, one write for each change, and leaves its last picture behind. */
import type { RunEvent } from '../../machine/events.ts';
import type { Screen } from '../terminal.ts';
import { liveLines } from './live-lines.ts';
import { LiveState } from './live-state.ts';

const FRAME_MS = 100;
/** Terminals that know these show a picture only when it is whole; others pass over them. */
const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

export interface LiveViewOptions {
  readonly screen: Screen;
  readonly color: boolean;
  readonly now: () => number;
}

export class LiveView {
  readonly #options: LiveViewOptions;
  #state = new LiveState();
  #drawn: readonly string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isResting = false;

  constructor(options: LiveViewOptions) {
    this.#options = options;
  }

  event(event: RunEvent): void {
    this.#state.note(event);
    if (!this.#isResting) this.#start();
  }

  /** All that is there before the first event of a leg. */
  past(events: readonly RunEvent[]): void {
    this.#state = new LiveState();
    for (const event of events) this.#state.note(event);
  }

  /** Somebody types: what happens meanwhile is drawn afterwards. */
  rest(): void {
    this.stop();
    this.#isResting = true;
  }

  goOn(): void {
    this.#isResting = false;
    this.#start();
  }

  #start(): void {
    this.#timer ??= setInterval(() => this.#draw(), FRAME_MS).unref();
  }

  /** Something to be read stays above the picture. */
  print(text: string): void {
    const { screen } = this.#options;
    const lines = text.split('\n').map((line) => `${line}${CLEAR_LINE}\n`);
    screen.write(`${this.#backToTop()}${lines.join('')}${CLEAR_BELOW}`);
    this.#drawn = [];
    // before the first event there is no picture
    if (this.#timer !== undefined) this.#draw();
  }

  /** The last picture stays, and what comes next stands below it. */
  stop(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#draw();
    this.#drawn = [];
  }

  #draw(): void {
    const { screen, color, now } = this.#options;
    const lines = liveLines(this.#state, { ...screen.size(), color, nowMs: now() });
    const isSame =
      lines.length === this.#drawn.length && lines.every((line, at) => line === this.#drawn[at]);
    if (isSame) return;
    const text = lines.map((line) => `${line}${CLEAR_LINE}\n`).join('');
    screen.write(`${BEGIN}${this.#backToTop()}${text}${CLEAR_BELOW}${END}`);
    this.#drawn = lines;
  }

  #backToTop(): string {
    return this.#drawn.length === 0 ? '\r' : `\u001b[${this.#drawn.length}A\r`;
  }
}
