/**
 * The entry of the sandbox's worker. Loads the engine, says that it is ready, and answers one job at
 * a time. It ends itself never: the one who started it does.
 */
import { workerData } from 'node:worker_threads';
import { compileEngine, evaluate, loadEngine, type Engine } from './engine.ts';
import type { FromWorker, Job, WorkerData } from './protocol.ts';

// the one who started this worker gives it exactly this
const { port, compiled } = workerData as WorkerData;

function say(message: FromWorker): void {
  port.postMessage(message);
}

function answer(engine: Engine, job: Job): FromWorker {
  try {
    const given = evaluate(engine, job);
    const isFull = !given.ok && given.fault === 'memory';
    return { type: 'answer', answer: given, isSpoiled: isFull || engine.memory.wasFull };
  } catch (thrown) {
    // the engine's own stack or memory broke through to the host
    const isStack = thrown instanceof RangeError;
    const reason = isStack
      ? 'it went too deep for the stack'
      : 'it broke the engine of the sandbox';
    const fault = isStack || isOutOfBounds(thrown) ? 'memory' : 'runtime';
    return { type: 'answer', answer: { ok: false, fault, reason }, isSpoiled: true };
  }
}

function isOutOfBounds(thrown: unknown): boolean {
  // of WebAssembly; `abort` of the engine is one too, with what it says in brackets
  const isWasm = thrown instanceof Error && thrown.name === 'RuntimeError';
  return isWasm && /out of bounds|OOM|memory/i.test(thrown.message);
}

const code = compiled ?? (await compileEngine());
const engine = await loadEngine(code);
port.on('message', (job: Job) => say(answer(engine, job)));
say({ type: 'ready', compiled: code });
