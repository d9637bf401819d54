/** Copies a text, even if the page has no secure context and so no clipboard API. */
export async function copyText(text: string): Promise<boolean> {
  try {
    // absent outside a secure context
    if (window.isSecureContext) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // refused, for example without the focus: the older way may still work
  }
  return copyBySelection(text);
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'off-screen';
  field.setAttribute('aria-hidden', 'true');
  // a modal dialog makes everything outside it inert
  const host = document.querySelector('dialog[open]') ?? document.body;
  const focused = document.activeElement;
  host.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
