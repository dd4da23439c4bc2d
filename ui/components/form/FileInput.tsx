import type { RefObject } from "react";

type FileInputProps = Readonly<{
  /** Whose `click` asks for a file. */
  input: RefObject<HTMLInputElement | null>;
  label: string;
  onFile: (file: File) => unknown;
}>;

/** Asks for a JSON file; nothing is seen of it. */
export const FileInput = ({ input, label, onFile }: FileInputProps) => (
  <input
    ref={input}
    type="file"
    accept="application/json,.json"
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
