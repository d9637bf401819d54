/** Where the focus goes after an action: what was clicked may be gone with what it did. */

/** Focuses the first that is there, once it is drawn. */
export function focusOn(...selectors: readonly string[]): void {
  requestAnimationFrame(() => {
    for (const selector of selectors) {
      const found = document.querySelector<HTMLElement>(selector);
      if (found !== null) return found.focus();
    }
    return undefined;
  });
}

/** The same, only where nothing has the focus any more. */
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
