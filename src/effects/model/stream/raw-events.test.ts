import { describe, expect, it } from 'vitest';
import { withRawEvents } from './raw-events.ts';

/** A model of a host, with fields that only its own methods can read. */
class OwnModel {
  readonly specificationVersion = 'v4';
  readonly #parts: readonly object[];
  asked: object = {};

  constructor(parts: readonly object[]) {
    this.#parts = parts;
  }

  get provider(): string {
    return `own-${this.#parts.length}`;
  }

  doStream(options: object): Promise<object> {
    this.asked = options;
    return Promise.resolve({ stream: ReadableStream.from(this.#parts), request: { body: 1 } });
  }
}

const raw = (rawValue: number): object => ({ type: 'raw', rawValue });
const text = (delta: string): object => ({ type: 'text-delta', delta });

async function read(parts: readonly object[], isLast = (_: unknown): boolean => false) {
  const model = new OwnModel(parts);
  const events: unknown[] = [];
  const { model: tapped } = withRawEvents(model, (event) => {
    events.push(event);
    return !isLast(event);
  });
  // true: the model is one with `doStream`
  const own = tapped as OwnModel;
  const { stream, request } = (await own.doStream({ prompt: 'p' })) as {
    stream: ReadableStream<object>;
    request: object;
  };
  const passed: object[] = [];
  for await (const part of stream) passed.push(part);
  return { passed, events, request, asked: model.asked, provider: own.provider };
}

describe('the raw events of a model', () => {
  it('are read in order and go no further, and everything else does', async () => {
    expect(await read([raw(1), text('a'), raw(2), raw(3), text('b')])).toEqual({
      passed: [text('a'), text('b')],
      events: [1, 2, 3],
      request: { body: 1 },
      asked: { prompt: 'p', includeRawChunks: true },
      provider: 'own-5',
    });
  });

  it('end the stream where nothing more is to be read', async () => {
    const { passed, events } = await read([text('a'), raw(1), text('b')], (event) => event === 1);
    expect({ passed, events }).toEqual({ passed: [text('a')], events: [1] });
  });

  it('are not asked of a model whose request is ours', async () => {
    const model = new OwnModel([text('a')]);
    const known: unknown[] = [];
    const { model: tapped } = withRawEvents(
      model,
      () => true,
      (signal) => known.push(signal),
    );
    const { signal } = new AbortController();
    await (tapped as OwnModel).doStream({ prompt: 'p', abortSignal: signal });
    expect({ known, asked: model.asked }).toEqual({
      known: [signal],
      asked: { prompt: 'p', abortSignal: signal },
    });
  });

  it('come through the SDK for a model that it finds by itself', () => {
    const named = Object('gateway/model') as object;
    expect(withRawEvents(named, () => true)).toEqual({
      model: named,
      include: { rawChunks: true },
    });
  });
});
