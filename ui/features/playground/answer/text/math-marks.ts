/** Code in Markdown, whose text is left as it is. */
const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/;

/**
 * Models write mathematics as `\(x\)`, `\[x\]`, `$x$` and `$$x$$`; the Markdown plugin reads `$$` alone, so that prices such as "$5 or $10" stay
 * text. Rewrites the others: a single `$` counts where a letter, a backslash or a bracket is in the formula and it touches it on
 * both sides, as Pandoc has it.
 */
export function withMathMarks(text: string): string {
  return text
    .split(CODE)
    .map((part, index) => (index % 2 === 1 ? part : rewritten(part)))
    .join("");
}

/** Whether the text has a formula, after `withMathMarks`. */
export const hasMath = (text: string): boolean =>
  text.split(CODE).some((part, index) => index % 2 === 0 && part.includes("$$"));

const rewritten = (text: string): string =>
  text
    .replace(/\\\[([\s\S]+?)\\\]/g, (_, formula: string) => `\n${MARK}\n${formula.trim()}\n${MARK}\n`)
    .replace(/\\\(([\s\S]+?)\\\)/g, (_, formula: string) => `${MARK}${formula.trim()}${MARK}`)
    .replace(/(?<![\\$\w])\$(?![\s$])([^$\n]*?[^\s$\\])\$(?![\w$])/g, (all: string, formula: string) =>
      /[a-zA-Z\\^_=]/.test(formula) && !/^\d[\d.,]*\s/.test(formula) ? `${MARK}${formula}${MARK}` : all,
    );

const MARK = "$$";
