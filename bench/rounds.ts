/** Takes several ways of doing a thing in turns, each round in another order, so that none is always the one after another. */

/** Gives the value of one round: a time, mostly. */
export type Way<Value = number> = () => Value | Promise<Value>;

/** The values of each way, by its name, in the order of the rounds. */
export async function inShuffledRounds<Name extends string, Value>(
  rounds: number,
  ways: Readonly<Record<Name, Way<Value>>>,
): Promise<Readonly<Record<Name, readonly Value[]>>> {
  const names = Object.keys(ways) as Name[];
  // every name gets its list right here
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
