/** Sign-in, in front of the page; the page stays behind it, with its typed text. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { focusIfLost } from '../focus.ts';
import { useAction } from '../hooks.ts';
import { refusedToken, signIn } from '../session.ts';

export function SignIn(): JSX.Element {
  const [token, setToken] = useState('');
  const { act, problem: refused, isBusy } = useAction();
  const problem = refused ?? refusedToken.value;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Sign in';
    field.current?.focus();
  }, []);
  const send = (event: Event): void => {
    event.preventDefault();
    void act(() => signIn(token)).then((isIn) => {
      if (isIn) focusIfLost('main h1');
      else field.current?.focus();
    });
  };
  return (
    <form class="sign-in" aria-labelledby="sign-in-name" onSubmit={send} noValidate>
      <h1 id="sign-in-name" tabIndex={-1}>
        Sign in
      </h1>
      <p>
        The address that <code>errand serve</code> prints has a token, a new one after each start;
        with tokens of your own, use one of them.
      </p>
      <div class="field">
        <label for="token">Token</label>
        <input
          ref={field}
          id="token"
          name="token"
          type="text"
          class="secret"
          autocomplete="off"
          spellcheck={false}
          value={token}
          aria-invalid={problem !== undefined}
          {...(problem === undefined ? {} : { 'aria-describedby': 'token-problem' })}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </div>
      <button type="submit" class="primary" aria-disabled={isBusy}>
        Sign in
      </button>
      {problem !== undefined && (
        <div class="problem" role="alert" id="token-problem">
          <p>
            <strong>{problem.title}</strong>
          </p>
          <p>
            {problem.detail}
            {problem.kind === 'request.unauthenticated'
              ? '. Copy the address that the server printed, or what follows #token= in it.'
              : ` ${problem.action.detail}`}
          </p>
        </div>
      )}
    </form>
  );
}
