/**
 * The timer of a run as Temporal timers. Each costs events of the history, so a timer that would fire
 * too early is kept, and the run sets the next one when it fires.
 */
import { CancellationScope, sleep } from '@temporalio/workflow';

export class WorkflowTimer {
  #wanted: { readonly atMs: number; readonly call: () => void } | undefined;
  #armed: { readonly atMs: number; readonly scope: CancellationScope } | undefined;

  set(_run: string, atMs: number, call: () => void): void {
    this.#wanted = { atMs, call };
    this.#arm(atMs);
  }

  clear(): void {
    this.#wanted = undefined;
  }

  #arm(atMs: number): void {
    if (this.#armed !== undefined && this.#armed.atMs <= atMs) return;
    this.#armed?.scope.cancel();
    const scope = new CancellationScope();
    const armed = { atMs, scope };
    this.#armed = armed;
    const firing = scope.run(() => sleep(Math.max(1, atMs - Date.now())));
    firing.then(
      () => this.#fire(armed),
      // cancelled, because an earlier timer replaces it
      () => undefined,
    );
  }

  #fire(armed: object): void {
    if (this.#armed !== armed) return;
    this.#armed = undefined;
    const wanted = this.#wanted;
    if (wanted === undefined) return;
    if (wanted.atMs > Date.now()) return this.#arm(wanted.atMs);
    this.#wanted = undefined;
    wanted.call();
  }
}
