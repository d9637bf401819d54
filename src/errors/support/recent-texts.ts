/**
 * Remembers what was made of the last texts. They are kept in two halves, and what is asked for again moves to the
 * newer one: when room is made, only texts that did not recur are forgotten.
 */
export interface RecentTexts<Made> {
  get(text: string): Made | undefined;
  set(text: string, made: Made): void;
}

export function recentTexts<Made extends NonNullable<unknown>>(max: number): RecentTexts<Made> {
  let newer = new Map<string, Made>();
  let older = new Map<string, Made>();
  const set = (text: string, made: Made): void => {
    if (newer.size >= max / 2) {
      older = newer;
      newer = new Map();
    }
    newer.set(text, made);
  };
  return {
    get(text) {
      const known = newer.get(text);
      if (known !== undefined) return known;
      const recurring = older.get(text);
      if (recurring !== undefined) set(text, recurring);
      return recurring;
    },
    set,
  };
}
