/**
 * The text that repairs a file. This tab keeps it until it is saved, so that no link, reload or
 * sign-in loses it. If the file changed meanwhile, the page shows it beside the text, so that
 * neither replaces the other unseen.
 */
import { useEffect, useState } from 'preact/hooks';

/** A version of the file. */
export interface FileVersion {
  readonly text: string;
  readonly etag: string;
}

export interface RepairText {
  readonly text: string;
  readonly type: (text: string) => void;
  /** The version that the text is based on; saving replaces only that one. */
  readonly base: FileVersion;
  /** The current file, if it differs from the base of the text. */
  readonly changed: FileVersion | undefined;
  /** The text was typed before the page was left. */
  readonly isBack: boolean;
  /** Replaces the text by the current file. */
  readonly load: () => void;
  /** Keeps the text, which may then replace the current file. */
  readonly keep: () => void;
  /** Restores the text that the file has replaced; absent if none was. */
  readonly takeBack: (() => void) | undefined;
  /** Makes this version the file, with nothing left to save. */
  readonly saved: (version: FileVersion) => void;
}

export function useRepairText(run: string, sent: FileVersion): RepairText {
  const [file, setFile] = useState(sent);
  const [draft] = useState(() => draftOf(run));
  const [base, setBase] = useState(() =>
    draft === undefined || draft.base === sent.text ? sent : { text: draft.base, etag: '' },
  );
  const [text, type] = useState(draft?.text ?? sent.text);
  const [aside, setAside] = useState<string | undefined>(undefined);
  const load = (version: FileVersion): void => {
    setBase(version);
    type(version.text);
  };
  useEffect(() => setFile(sent), [sent.text, sent.etag]);
  useEffect(() => {
    if (text === base.text && file.text !== base.text) load(file);
    keepDraft(run, text === base.text ? undefined : { text, base: base.text });
  }, [run, text, base, file]);
  return {
    text,
    type,
    base,
    changed: file.text === base.text ? undefined : file,
    isBack: draft !== undefined && text !== base.text,
    load: () => {
      setAside(text);
      load(file);
    },
    keep: () => setBase(file),
    takeBack:
      aside === undefined
        ? undefined
        : () => {
            // the text typed since is not lost either
            setAside(text === base.text ? undefined : text);
            type(aside);
          },
    saved: (version) => {
      setFile(version);
      setBase(version);
      keepDraft(run, undefined);
    },
  };
}

interface Draft {
  readonly text: string;
  /** The file that the text is based on. */
  readonly base: string;
}

function keyOf(run: string): string {
  return `repair ${run}`;
}

function draftOf(run: string): Draft | undefined {
  const kept = window.sessionStorage.getItem(keyOf(run));
  // this module wrote it
  return kept === null ? undefined : (JSON.parse(kept) as Draft);
}

function keepDraft(run: string, draft: Draft | undefined): void {
  if (draft === undefined) window.sessionStorage.removeItem(keyOf(run));
  else window.sessionStorage.setItem(keyOf(run), JSON.stringify(draft));
}
