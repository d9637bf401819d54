/**
 * A table whose rows become cards on a narrow screen, where the name of its column precedes each
 * value.
 */
import type { ComponentChildren, JSX } from 'preact';
import { TableHead, type NumberColumn } from './table-head.tsx';

export interface StackedTableProps {
  readonly name: string;
  /** Absent if a heading already names it. */
  readonly caption?: string;
  readonly columns: readonly (string | NumberColumn)[];
  /** The first column has consecutive numbers, and is narrow. */
  readonly isInOrder?: boolean;
  /** A value for each column; the first one names the row. */
  readonly rows: readonly (readonly ComponentChildren[])[];
}

export function StackedTable(props: StackedTableProps): JSX.Element {
  const { name, caption, columns, rows, isInOrder = false } = props;
  return (
    <div class="wide" role="group" aria-label={`Table: ${name}`} tabIndex={0}>
      <table class={`dense stacked${isInOrder ? ' in-order' : ''}`} role="table" aria-label={name}>
        {caption !== undefined && <caption>{caption}</caption>}
        <TableHead columns={columns} />
        <tbody role="rowgroup">
          {rows.map(([first, ...values], index) => (
            <tr key={index} role="row">
              <th scope="row" role="rowheader">
                {first}
              </th>
              {values.map((value, at) => (
                <Cell key={at} column={columns[at + 1] ?? ''} value={value} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({
  column,
  value,
}: {
  readonly column: string | NumberColumn;
  readonly value: ComponentChildren;
}): JSX.Element {
  const [label, style] =
    typeof column === 'string' ? [column, undefined] : [column.numbers, 'number'];
  return (
    <td role="cell" class={style} data-label={label.toLowerCase()}>
      {value}
    </td>
  );
}
