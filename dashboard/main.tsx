/**
 * Starts the page: takes the token out of the address, signs in with it, and shows the page that
 * the address names.
 */
import { render } from 'preact';
import { freshness, isAway, noteAway } from './app/api.ts';
import { listenToVisibility } from './app/hidden-tab.ts';
import { followAllRuns } from './app/live.ts';
import { listenToNavigation } from './app/navigation.ts';
import { listenToOtherTabs, signInByAddress } from './app/session.ts';
import { Shell } from './app/shell.tsx';
import { showUnseen } from './view/visible-text.ts';
import './styles/base.css';
import './styles/controls.css';
import './styles/pages.css';
import './styles/run.css';
import './styles/graph.css';

async function start(): Promise<void> {
  const host = document.querySelector('#app');
  if (host === null) return;
  await signInByAddress();
  // pasting an address with a token over the current one loads nothing
  window.addEventListener('hashchange', () => void signInByAddress());
  listenToNavigation();
  listenToVisibility();
  listenToOtherTabs();
  window.addEventListener('offline', () => noteAway());
  window.addEventListener('online', () => {
    isAway.value = false;
    freshness.value++;
  });
  followAllRuns();
  showUnseen();
  render(<Shell />, host);
}

void start();
