/** The file port: how loading reads files. The caller owns the file system and the environment. */
export type FileContent =
  | {
      readonly ok: true;
      readonly text: string;
      /** The real path of the file, if a link led to it. Default: the requested path. */
      readonly realPath?: string;
    }
  /** `reason` completes a sentence: `no such file`, `not UTF-8 text`. */
  | { readonly ok: false; readonly reason: string };

export interface FilePort {
  /** Reads UTF-8 text, from a path that `resolve` returned. */
  readonly read: (path: string) => FileContent;
  /**
   * Resolves `to` relative to the file `from` (a file, not a folder; empty for the caller's own
   * folder). The same file must always get the same name: cycles are found by comparing names.
   */
  readonly resolve: (from: string, to: string) => string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Has no files: nothing can be included or called. */
export const NO_FILES: FilePort = {
  read: () => ({ ok: false, reason: 'no files can be read here' }),
  resolve: (_from, to) => to,
};

export const MAX_FILE_CHARS = 10 * 1024 * 1024;
