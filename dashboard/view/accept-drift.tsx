/** The checkbox with which a person accepts that finished nodes have changed in the file. */
import type { JSX } from 'preact';

export function AcceptDrift({
  accepts,
  accept,
}: {
  readonly accepts: boolean;
  readonly accept: (accepts: boolean) => void;
}): JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={accepts}
        onChange={(event) => accept(event.currentTarget.checked)}
      />
      Accept drift
    </label>
  );
}
