/** What loading needs of the world. The file system and the environment are the caller's. */
export type FileContent =
  | {
      readonly ok: true;
      readonly text: string;
      /** The path of the file that the text is in, where links lead to it. Default: the one asked for. */
      readonly realPath?: string;
    }
  /** `reason` completes a sentence: `no such file`, `not UTF-8 text`. */
  | { readonly ok: false; readonly reason: string };

export interface FilePort {
  /** Reads UTF-8 text. Asked with paths that `resolve` gave. */
  readonly read: (path: string) => FileContent;
  /**
   * The file that `to` means in the file `from` (a file, not a folder; empty for the caller's own
   * folder). One file always gets one name: circles are found by comparing names.
   */
  readonly resolve: (from: string, to: string) => string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Nothing can be included and nothing called. */
export const NO_FILES: FilePort = {
  read: () => ({ ok: false, reason: 'no files can be read here' }),
  resolve: (_from, to) => to,
};

export const MAX_FILE_CHARS = 10 * 1024 * 1024;
