/** Asks once before an action that cannot be undone. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isFocusLost } from './focus.ts';

export interface ConfirmProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly isBusy?: boolean;
  /** The action loses nothing. */
  readonly isGentle?: boolean;
  /** Absent if there is nothing to do. */
  readonly confirm: (() => void) | undefined;
  readonly back: () => void;
}

export function Confirm({
  title,
  children,
  isBusy = false,
  isGentle = false,
  confirm,
  back,
}: ConfirmProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => {
      // the action may have moved the focus already, and may have removed the opener
      if (opener instanceof HTMLElement && isFocusLost()) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="confirm-title"
      onCancel={(event) => {
        event.preventDefault();
        back();
      }}
    >
      <h2 id="confirm-title">{title}</h2>
      {children}
      <p class="buttons end">
        <button type="button" onClick={back}>
          Back
        </button>
        <button
          type="button"
          class={isGentle ? 'primary' : 'danger'}
          disabled={confirm === undefined}
          aria-disabled={isBusy}
          onClick={confirm}
        >
          Confirm
        </button>
      </p>
    </dialog>
  );
}
