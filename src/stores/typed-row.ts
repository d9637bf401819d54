/** Reads columns by name and checks their types: damage can turn any value into any other. */
import { corrupt } from './store-failure.ts';

export type Row = Readonly<Record<string, unknown>>;

export function textAt(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw wrongType(column, 'text');
  return value;
}

export function textOrNullAt(row: Row, column: string): string | null {
  return row[column] === null ? null : textAt(row, column);
}

export function integerAt(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw wrongType(column, 'whole number');
  return value;
}

function wrongType(column: string, wanted: string): Error {
  return corrupt(`A row of the store has no ${wanted} in ${column}`, { column });
}
