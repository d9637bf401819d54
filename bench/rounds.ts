/**
 * Runs several ways of doing a thing in turns, in another order each round, so that none always
 * follows the same one.
 */

/** Returns the value of one round: usually a time. */
export type Way<Value = number> = () => Value | Promise<Value>;

/** The values of each way, by its name, in the order of the rounds. */
export async function inShuffledRounds<Name extends string, Value>(
  rounds: number,
  ways: Readonly<Record<Name, Way<Value>>>,
): Promise<Readonly<Record<Name, readonly Value[]>>> {
  const names = Object.keys(ways) as Name[];
  // this makes a list for every name
  const values = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    Value[]
  >;
  for (let round = 0; round < rounds; round++)
    for (const name of shuffled(names)) values[name].push(await ways[name]());
  return values;
}

export function shuffled<T>(items: readonly T[]): T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(Math.floor(Math.random() * left.length), 1));
}
