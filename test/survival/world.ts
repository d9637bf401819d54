/** The world outside the engine: the work that scripts really did, recorded by themselves. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * `deed.sh NAME [FAILURES]`: leaves one line in the file WORLD, and fails the first calls by this
 * name. Its memory is the world's, so the caller does not matter.
 */
export const DEED = `
failed=0
if [ "\${2:-0}" -gt 0 ] && [ -f "$WORLD" ]; then
  failed=$(grep -c " $1 failed$" "$WORLD")
fi
if [ "$failed" -lt "\${2:-0}" ]; then
  echo "$ERRAND_IDEMPOTENCY_KEY $ERRAND_ATTEMPT $1 failed" >> "$WORLD"
  echo "$1 does not work" >&2
  exit 1
fi
echo "$ERRAND_IDEMPOTENCY_KEY $ERRAND_ATTEMPT $1 done" >> "$WORLD"
echo "{\\"did\\": \\"$1\\"}"
`;

export interface Deed {
  readonly key: string;
  readonly attempt: number;
  readonly name: string;
  readonly ending: 'done' | 'failed';
}

export function deedsIn(world: string): readonly Deed[] {
  if (!existsSync(world)) return [];
  return readFileSync(world, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [key = '', attempt = '', name = '', ending = ''] = line.split(' ');
      return { key, attempt: Number(attempt), name, ending: ending === 'done' ? 'done' : 'failed' };
    });
}

/** Scripts outlive the killed engine; only after them can anyone say what happened. */
export async function untilStill(mark: string): Promise<void> {
  let living = livingWith(mark);
  while (living.length > 0) {
    await pause(10);
    living = livingWith(mark, living);
    // they may have started others; to look at all processes each time would keep a core busy
    if (living.length === 0) living = livingWith(mark);
  }
}

/** The processes that have this text in their environment. */
export function livingWith(mark: string, among: readonly number[] = all()): readonly number[] {
  return among.filter((pid) => environmentOf(pid).includes(mark));
}

function all(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid);
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    // it ended meanwhile, or belongs to somebody else
    return '';
  }
}
