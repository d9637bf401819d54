/** The head of a table: a name for each column. */

export interface NumberColumn {
  readonly numbers: string;
}

/** Columns of numbers stand to the right. */
export function TableHead({ columns }: { readonly columns: readonly (string | NumberColumn)[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const [name, style] =
            typeof column === 'string' ? [column, undefined] : [column.numbers, 'number'];
          return (
            <th key={name} scope="col" class={style}>
              {name}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
