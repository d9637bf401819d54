/**
 * Runs in the page for `dashboard-browser.bench.ts`, before the page's own scripts: records the
 * delay of each painting.
 */
const watched = { lateMs: [], since: undefined };
globalThis.watched = watched;

// the page reads its stream in pieces
const read = Object.getOwnPropertyDescriptor(ReadableStreamDefaultReader.prototype, 'read').value;
ReadableStreamDefaultReader.prototype.read = async function () {
  const part = await read.call(this);
  if (!part.done) watched.since ??= performance.now();
  return part;
};

const observer = new MutationObserver(() => {
  const { since } = watched;
  if (since === undefined) return;
  watched.since = undefined;
  // the task after the next frame begins when the frame is on the screen
  requestAnimationFrame(() => setTimeout(() => watched.lateMs.push(performance.now() - since), 0));
});
observer.observe(document, { childList: true, subtree: true, characterData: true });

/** Takes every event of the run by the browser's own reader, and draws nothing. */
globalThis.onlyRead = (path, types) =>
  new Promise((resolve) => {
    const stream = new EventSource(path);
    for (const type of types) stream.addEventListener(type, ({ data }) => JSON.parse(data));
    stream.addEventListener('end', () => resolve(stream.close()));
  });
