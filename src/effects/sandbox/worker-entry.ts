/**
 * The entry of the sandbox's worker: loads the engine, reports that it is ready, and runs one job at a
 * time. It never exits by itself: `sandbox-worker.ts` ends it.
 */
import { workerData } from 'node:worker_threads';
import { compileEngine, evaluate, loadEngine, type Engine } from './quickjs.ts';
import type { FromWorker, Job, WorkerData } from './worker-messages.ts';

// true: `sandbox-worker.ts` passes exactly this
const { port, compiled } = workerData as WorkerData;

function send(message: FromWorker): void {
  port.postMessage(message);
}

function answer(engine: Engine, job: Job): FromWorker {
  try {
    const result = evaluate(engine, job);
    const isFull = !result.ok && result.fault === 'memory';
    return { type: 'answer', answer: result, isSpoiled: isFull || engine.memory.wasFull };
  } catch (thrown) {
    // a stack or memory overflow of the engine reached the host; a trap after refused memory comes
    // from that refusal
    const isStack = thrown instanceof RangeError;
    const reason = isStack
      ? 'its calls went too deep for the stack'
      : 'it crashed the engine of the sandbox';
    const fault = isStack || engine.memory.wasFull ? 'memory' : 'runtime';
    return { type: 'answer', answer: { ok: false, fault, reason }, isSpoiled: true };
  }
}

const code = compiled ?? (await compileEngine());
const engine = await loadEngine(code);
port.on('message', (job: Job) => send(answer(engine, job)));
send({ type: 'ready', compiled: code });
