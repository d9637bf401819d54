/** Moves the focus after an action, which may have removed the clicked element. */

/** Focuses the first selector that matches, once it is drawn. */
export function focusOn(...selectors: readonly string[]): void {
  requestAnimationFrame(() => {
    for (const selector of selectors) {
      const found = document.querySelector<HTMLElement>(selector);
      if (found !== null) return found.focus();
    }
    return undefined;
  });
}

/** The same, but only if nothing has the focus. */
export function focusIfLost(selector: string): void {
  requestAnimationFrame(() => {
    if (isFocusLost()) focusOn(selector);
  });
}

/** Whether the element that had the focus is gone. */
export function isFocusLost(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body;
}
