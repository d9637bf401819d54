import { renderToString } from 'preact-render-to-string';
import { expect, it } from 'vitest';
import { showUnseen } from './visible-text.ts';

showUnseen();

const TURNED = 'a\u202eb\u0007';

it('shows what nobody sees as escapes, wherever a text stands', () => {
  const Part = ({ text }: { readonly text: string }) => <>{text}</>;
  const html = renderToString(
    <p title="kept">
      {TURNED} <b>{[TURNED, 1]}</b> <Part text={TURNED} />
    </p>,
  );
  expect(html).toBe(
    String.raw`<p title="kept">a\u202eb\u0007 <b>a\u202eb\u00071</b> a\u202eb\u0007</p>`,
  );
});

it('keeps lines, tabs and what is drawn together', () => {
  const text = 'one\n\ttwo 👩‍💻 ß العربية';
  expect(renderToString(<pre>{text}</pre>)).toBe(`<pre>${text}</pre>`);
});
