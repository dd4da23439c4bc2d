import type { RefObject } from "react";

type FileInputProps = Readonly<{
  /** Whose `click` asks for a file. */
  input: RefObject<HTMLInputElement | null>;
  label: string;
  /** As the attribute of the input; JSON, if not given. */
  accept?: string;
  onFile: (file: File) => unknown;
}>;

/** Asks for a file; nothing is seen of it. */
export const FileInput = ({ input, label, accept = "application/json,.json", onFile }: FileInputProps) => (
  <input
    ref={input}
    type="file"
    accept={accept}
    hidden
    aria-label={label}
    onChange={({ target }) => {
      const file = target.files?.[0];
      if (file) void onFile(file);
      // Allows choosing the same file again.
      target.value = "";
    }}
  />
);
