/**
 * The text that repairs a file. It is kept in this tab until it is saved, so that no link, reload or sign-in
 * loses it; and a file that was changed meanwhile is shown beside it, so that neither text replaces the other unseen.
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
  /** The version that the text was made from; saving replaces only that one. */
  readonly base: FileVersion;
  /** The file as it is now, where it is not the one that the text was made from. */
  readonly changed: FileVersion | undefined;
  /** The text is one that was typed before the page was left. */
  readonly isBack: boolean;
  /** The file as it is now takes the place of the text. */
  readonly load: () => void;
  /** The text stays, and may replace the file as it is now. */
  readonly keep: () => void;
  /** Brings the text back that the file has replaced; absent where none was. */
  readonly takeBack: (() => void) | undefined;
  /** This version is the file now, and nothing is left to save. */
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
            // what was typed since is not lost either
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
  /** The text of the file that it was made from. */
  readonly base: string;
}

function keyOf(run: string): string {
  return `repair ${run}`;
}

function draftOf(run: string): Draft | undefined {
  const kept = window.sessionStorage.getItem(keyOf(run));
  // written below
  return kept === null ? undefined : (JSON.parse(kept) as Draft);
}

function keepDraft(run: string, draft: Draft | undefined): void {
  if (draft === undefined) window.sessionStorage.removeItem(keyOf(run));
  else window.sessionStorage.setItem(keyOf(run), JSON.stringify(draft));
}
