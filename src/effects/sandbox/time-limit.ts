/**
 * The time limit of an evaluation. It counts the CPU time of the worker: on a busy machine good code
 * waits long for a core, and must not fail for that. Wall time only ends what a broken machine never
 * lets finish.
 */
import type { Worker } from 'node:worker_threads';

/** Wall time of an evaluation, however little CPU time it got. */
const BACKSTOP_MS = 60_000;
/** The shortest time between two looks at the CPU time. */
const LEAST_WAIT_MS = 20;

/** Milliseconds of CPU time so far. Rejects when the worker is over. */
export type CpuMeter = () => Promise<number>;

/** Older Nodes cannot read it for one thread; the whole process uses at least as much. */
export function cpuMeter(worker: Partial<Pick<Worker, 'cpuUsage'>>): CpuMeter {
  return async () => {
    const { user, system } = (await worker.cpuUsage?.()) ?? process.cpuUsage();
    return (user + system) / 1000;
  };
}

/** Starts to count. Calls `onOver` once, unless the returned function stops it. */
export function limitTime(limitMs: number, cpuMs: CpuMeter, onOver: () => void): () => void {
  const begun = cpuMs();
  let next: NodeJS.Timeout | undefined;
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    clearTimeout(next);
    clearTimeout(backstop);
  };
  const over = (): void => {
    stop();
    onOver();
  };
  const look = async (): Promise<void> => {
    const leftMs = limitMs - ((await cpuMs()) - (await begun));
    if (isStopped) return;
    if (leftMs <= 0) over();
    else wait(Math.max(leftMs, LEAST_WAIT_MS));
  };
  const wait = (ms: number): void => {
    // a worker that is over says so itself
    next = setTimeout(() => void look().catch(() => undefined), ms);
  };
  const backstop = setTimeout(over, Math.max(BACKSTOP_MS, limitMs));
  begun.catch(() => undefined);
  wait(limitMs);
  return stop;
}
