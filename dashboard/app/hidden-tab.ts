/**
 * Hidden tabs hold no stream: a browser has six connections to a server for all its tabs, and a
 * seventh tab would wait forever. They poll now and then instead.
 */
import { signal } from '@preact/signals';
import { freshness } from './api.ts';

const HIDDEN_AFTER_MS = 10_000;

/** Whether the tab was hidden for a while. */
export const isHidden = signal(false);

export function listenToVisibility(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (document.visibilityState === 'hidden') {
      timer = setTimeout(() => {
        isHidden.value = true;
      }, HIDDEN_AFTER_MS);
    } else if (isHidden.value) {
      isHidden.value = false;
      freshness.value++;
    }
  });
}
