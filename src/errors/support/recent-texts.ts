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

/** A longer text is hardly sent twice, and would be kept for nothing. */
const MAX_RECURRING_CHARS = 1536;

/** Makes something of a text, and only once for each of the last texts. */
export function onceForEach<Made extends NonNullable<unknown>>(
  max: number,
  make: (text: string) => Made,
): (text: string) => Made {
  const recent = recentTexts<Made>(max);
  return (text) => {
    if (text.length > MAX_RECURRING_CHARS) return make(text);
    const known = recent.get(text);
    if (known !== undefined) return known;
    const made = make(text);
    recent.set(text, made);
    return made;
  };
}
