/** Pages that are loaded when they are first shown, so that the first page appears quickly. */
import { useSignalEffect } from '@preact/signals';
import { h, type FunctionComponent, type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { freshness, noteAway } from './api.ts';

export function lazy<P extends object>(
  load: () => Promise<FunctionComponent<P>>,
): (props: P) => JSX.Element | null {
  let loaded: FunctionComponent<P> | undefined;
  return function LazyPage(props: P): JSX.Element | null {
    const [, render] = useState(0);
    useSignalEffect(() => {
      // requests a page that did not arrive again when the server is back
      if (freshness.value < 0 || loaded !== undefined) return;
      load().then(
        (page) => {
          loaded = page;
          render((count) => count + 1);
        },
        () => noteAway(),
      );
    });
    return loaded === undefined ? null : h(loaded, props);
  };
}
