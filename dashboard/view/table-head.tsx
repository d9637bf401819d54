/** The head of a table: a name for each column. */

export interface NumberColumn {
  readonly numbers: string;
}

/**
 * Columns of numbers are right-aligned. The roles stay when a style stacks the cells on a narrow
 * screen.
 */
export function TableHead({ columns }: { readonly columns: readonly (string | NumberColumn)[] }) {
  return (
    <thead role="rowgroup">
      <tr role="row">
        {columns.map((column) => {
          const [name, style] =
            typeof column === 'string' ? [column, undefined] : [column.numbers, 'number'];
          return (
            <th key={name} role="columnheader" scope="col" class={style}>
              {name}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
