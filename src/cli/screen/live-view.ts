/** Draws the live view in place, one write per change, and leaves the last picture on the screen. */
import type { RunEvent } from '../../machine/state/events.ts';
import type { Screen } from '../terminal.ts';
import { liveLines } from './live-lines.ts';
import { LiveState } from './live-state.ts';
import { onScreen } from '../../errors/support/on-screen.ts';

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
  #isPaused = false;

  constructor(options: LiveViewOptions) {
    this.#options = options;
  }

  event(event: RunEvent): void {
    this.#state.note(onScreen(event));
    if (!this.#isPaused) this.#start();
  }

  /** Takes over the events before the leg. */
  past(events: readonly RunEvent[]): void {
    this.#state = new LiveState();
    for (const event of events) this.#state.note(onScreen(event));
  }

  /** Stops drawing while a person types. */
  pause(): void {
    this.stop();
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#start();
  }

  #start(): void {
    this.#timer ??= setInterval(() => this.#draw(), FRAME_MS).unref();
  }

  /** Prints text above the picture. */
  print(text: string): void {
    this.#options.screen.draw(text.split('\n'), this.#drawn.length);
    this.#drawn = [];
    // before the first event there is no picture
    if (this.#timer !== undefined) this.#draw();
  }

  /** Leaves the last picture, with later output below it. */
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
