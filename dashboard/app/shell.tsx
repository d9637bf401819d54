/** The frame around every page: navigation, the live region, sign-in in place, and the focus. */
import { useSignalEffect } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { SurroundingsContext } from '../view/surroundings.ts';
import { address, linkLeft } from './navigation.ts';
import type { Address } from './address.ts';
import { BASE, isAway, isSignedOut } from './api.ts';
import { copyText } from './clipboard.ts';
import { useNow, useTitle } from './hooks.ts';
import { announcement, openQuestions } from './live.ts';
import { lazy } from './lazy.tsx';

const TICK_MS = 1000;

const SignIn = lazy(async () => (await import('./pages/sign-in.tsx')).SignIn);
const RunsPage = lazy(async () => (await import('./pages/runs-page.tsx')).RunsPage);
const RunPage = lazy(async () => (await import('./pages/run-page.tsx')).RunPage);
const RepairPage = lazy(async () => (await import('./pages/repair-page.tsx')).RepairPage);
const GatesPage = lazy(async () => (await import('./pages/gates-page.tsx')).GatesPage);
const WorkflowsPage = lazy(async () => (await import('./pages/workflows-page.tsx')).WorkflowsPage);
const WorkflowPage = lazy(async () => (await import('./pages/workflow-page.tsx')).WorkflowPage);
const KindPage = lazy(async () => (await import('./pages/kind-page.tsx')).KindPage);

function zone(atMs: number): number {
  return -new Date(atMs).getTimezoneOffset();
}

/**
 * Each second redraws only the parts that show a time: the rest of the page is the same element.
 */
function Clock({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const nowMs = useNow(TICK_MS);
  return (
    <SurroundingsContext.Provider value={{ base: BASE, zone, nowMs, copy: copyText }}>
      {children}
    </SurroundingsContext.Provider>
  );
}

export function Shell(): JSX.Element {
  useFocusOnPageChange();
  const isOut = isSignedOut.value;
  return (
    <Clock>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <Navigation />
        <p role="status" class={isAway.value ? 'live away' : 'live'}>
          {isAway.value ? 'Reconnecting' : announcement.value}
        </p>
      </header>
      <main id="main" tabIndex={-1}>
        {isOut && <SignIn />}
        <div hidden={isOut}>
          <Page at={address.value} />
        </div>
      </main>
    </Clock>
  );
}

function Page({ at }: { readonly at: Address }): JSX.Element {
  switch (at.page) {
    case 'runs':
      return <RunsPage filters={at.filters} />;
    case 'run':
      return <RunPage key={at.run} run={at.run} step={at.step} />;
    case 'repair':
      return <RepairPage key={at.run} run={at.run} />;
    case 'gates':
      return <GatesPage />;
    case 'workflows':
      return <WorkflowsPage />;
    case 'workflow':
      return <WorkflowPage key={at.name} name={at.name} />;
    case 'kind':
      return <KindPage key={at.kind} kind={at.kind} />;
    case 'unknown':
      return <NotThere path={at.path} />;
  }
}

function NotThere({ path }: { readonly path: string }): JSX.Element {
  useTitle('Not there');
  return (
    <>
      <h1 tabIndex={-1}>Not there</h1>
      <p>
        There is no page at <code>{path}</code>. <a href={`${BASE}/`}>All runs</a>
      </p>
    </>
  );
}

function Navigation(): JSX.Element {
  const { page } = address.value;
  const open = openQuestions.value;
  // the page of a run belongs to the list, although it is not the list itself
  const current = (own: readonly string[]): 'page' | 'true' | undefined => {
    if (own[0] === page) return 'page';
    return own.includes(page) ? 'true' : undefined;
  };
  const link = (to: string, name: string, own: readonly string[], count?: string): JSX.Element => (
    <a href={BASE + to} aria-current={current(own)}>
      {name}
      {count !== undefined && (
        <>
          {' '}
          <span class="count">{count}</span>
        </>
      )}
    </a>
  );
  const questions =
    open === undefined || open.count === 0 ? undefined : `${open.count}${open.more ? '+' : ''}`;
  return (
    <nav aria-label="Main">
      <span class="brand" aria-hidden="true">
        errand
      </span>
      {link('/', 'Runs', ['runs', 'run', 'repair'])}
      {link('/gates', 'Questions', ['gates'], questions)}
      {link('/workflows', 'Workflows', ['workflows', 'workflow'])}
    </nav>
  );
}

const HEADING_COMES_MS = 5000;

/**
 * A new page is read from its heading, and one that is shown again from the link that led away;
 * both may appear a moment later.
 */
function useFocusOnPageChange(): void {
  const shown = useRef<string | undefined>(undefined);
  useSignalEffect(() => {
    const key = keyOf(address.value);
    const isChange = shown.current !== undefined && shown.current !== key;
    shown.current = key;
    return isChange ? focusWhenItComes(linkLeft.peek()) : undefined;
  });
}

/** Gives up when the person does something, or after a while. Returns the function that ends it. */
function focusWhenItComes(left: string | undefined): () => void {
  const main = document.querySelector<HTMLElement>('#main');
  // the link that led here may be gone, and the tab order must not continue after it
  main?.focus({ preventScroll: true });
  const focus = (): void => {
    const { activeElement } = document;
    const heading = document.querySelector<HTMLElement>('main h1');
    const isFree =
      activeElement === null ||
      activeElement === document.body ||
      activeElement === main ||
      activeElement === heading;
    if (!isFree) return;
    const link =
      left === undefined
        ? null
        : document.querySelector<HTMLElement>(`main a[href="${CSS.escape(left)}"]`);
    if (link !== null) link.focus();
    else if (activeElement !== heading) heading?.focus({ preventScroll: true });
  };
  const observer = new MutationObserver(focus);
  const timer = setTimeout(end, HEADING_COMES_MS);
  function end(): void {
    clearTimeout(timer);
    observer.disconnect();
    window.removeEventListener('keydown', end);
    window.removeEventListener('pointerdown', end);
  }
  if (main !== null) observer.observe(main, { childList: true, subtree: true });
  window.addEventListener('keydown', end);
  window.addEventListener('pointerdown', end);
  return end;
}

/** Filters and an open step are part of the same page. */
function keyOf(at: Address): string {
  switch (at.page) {
    case 'run':
    case 'repair':
      return `${at.page} ${at.run}`;
    case 'workflow':
      return `workflow ${at.name}`;
    case 'kind':
      return `kind ${at.kind}`;
    case 'runs':
    case 'gates':
    case 'workflows':
      return at.page;
    case 'unknown':
      return at.path;
  }
}
