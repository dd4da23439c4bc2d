import { json } from "@codemirror/lang-json";
import { useColorScheme, useTheme } from "@mui/material/styles";
import CodeMirror, { EditorView } from "@uiw/react-codemirror";
import { useMemo } from "react";

type JsonEditorProps = Readonly<{
  id: string;
  label: string;
  value: string;
  onChange: (text: string) => void;
  onBlur: () => void;
  hasError: boolean;
  maxHeight: number;
}>;

/** JSON with syntax colors and line numbers. Escape, then Tab leaves it by keyboard. */
const JsonEditor = ({ id, label, value, onChange, onBlur, hasError, maxHeight }: JsonEditorProps) => {
  const { mode, systemMode } = useColorScheme();
  const { vars } = useTheme();
  const isDark = (mode === "system" ? systemMode : mode) === "dark";
  const extensions = useMemo(
    () => [
      json(),
      EditorView.lineWrapping,
      // Editable text is focusable anyway; stated explicitly for accessibility checkers.
      EditorView.contentAttributes.of({ id, "aria-label": label, tabindex: "0" }),
      EditorView.theme({
        "&": { fontSize: "12.5px", backgroundColor: "transparent !important" },
        "&.cm-focused": { outline: "none" },
        ".cm-scroller": { fontFamily: '"JetBrains Mono", monospace', lineHeight: "20px" },
        ".cm-gutters": { backgroundColor: "transparent !important", border: "none" },
        ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent !important" },
      }),
    ],
    [id, label],
  );
  return (
    <div
      style={{
        border: `1px solid ${hasError ? vars?.palette.error.main : vars?.palette.divider}`,
        borderRadius: 7,
        overflow: "hidden",
      }}
    >
      <CodeMirror
        value={value}
        theme={isDark ? "dark" : "light"}
        extensions={extensions}
        maxHeight={`${maxHeight}px`}
        basicSetup={{ foldGutter: false, highlightActiveLine: false }}
        indentWithTab={false}
        onChange={onChange}
        onBlur={onBlur}
      />
    </div>
  );
};

export default JsonEditor;
