/** Colors of highlight.js's classes, from the tones whose text is readable in both schemes. */
export const CODE_COLORS = {
  "& .hljs-comment, & .hljs-quote, & .hljs-meta": { color: "text.tertiary" },
  "& .hljs-keyword, & .hljs-selector-tag, & .hljs-built_in, & .hljs-tag .hljs-name": { color: "tone.info.text" },
  "& .hljs-string, & .hljs-regexp, & .hljs-addition, & .hljs-template-variable": { color: "tone.ok.text" },
  "& .hljs-number, & .hljs-literal, & .hljs-symbol, & .hljs-bullet": { color: "tone.warn.text" },
  "& .hljs-title, & .hljs-section, & .hljs-selector-class, & .hljs-selector-id": { color: "primary.main" },
  "& .hljs-attr, & .hljs-attribute, & .hljs-variable, & .hljs-type, & .hljs-property": { color: "tone.lime.text" },
  "& .hljs-deletion": { color: "tone.bad.text" },
  "& .hljs-emphasis": { fontStyle: "italic" },
  "& .hljs-strong": { fontWeight: 600 },
} as const;
