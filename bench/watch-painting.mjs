/** Runs in the page for `dashboard-browser.bench.ts`, before its own scripts: how late each painting was. */
const watched = { lateMs: [], since: undefined };
globalThis.watched = watched;

const Source = globalThis.EventSource;
globalThis.EventSource = class extends Source {
  addEventListener(type, ...rest) {
    const arrived = () => (watched.since ??= performance.now());
    if (type.includes(':')) super.addEventListener(type, arrived);
    super.addEventListener(type, ...rest);
  }
};

const observer = new MutationObserver(() => {
  const { since } = watched;
  if (since === undefined) return;
  watched.since = undefined;
  // the task after the next frame begins when it is on the screen
  requestAnimationFrame(() => setTimeout(() => watched.lateMs.push(performance.now() - since), 0));
});
observer.observe(document, { childList: true, subtree: true, characterData: true });
