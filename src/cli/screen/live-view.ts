/** Draws the live view in place, one write for each change, and leaves its last picture behind. */
import type { RunEvent } from '../../machine/events.ts';
import type { Screen } from '../terminal.ts';
import { liveLines } from './live-lines.ts';
import { LiveState } from './live-state.ts';
import { onScreen } from '../../errors/on-screen.ts';

const FRAME_MS = 100;
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
    this.#state.note(onScreen(event));
    if (!this.#isResting) this.#start();
  }

  /** All that is there before the first event of a leg. */
  past(events: readonly RunEvent[]): void {
    this.#state = new LiveState();
    for (const event of events) this.#state.note(onScreen(event));
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
    this.#options.screen.draw(text.split('\n'), this.#drawn.length);
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
    screen.draw(lines, this.#drawn.length);
    this.#drawn = lines;
  }
}
