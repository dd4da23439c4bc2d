import { expect, test } from "bun:test";
import { hasMath, withMathMarks } from "./math-marks.ts";

test.each([
  ["so \\(a^2\\) is", "so $$a^2$$ is"],
  ["\\[ E = mc^2 \\]", "\n$$\nE = mc^2\n$$\n"],
  ["with $x_i$ and $y$.", "with $$x_i$$ and $$y$$."],
  ["$$\nx\n$$", "$$\nx\n$$"],
  ["costs $5 or $10 a month", "costs $5 or $10 a month"],
  ["from $5 a day to $x a day", "from $5 a day to $x a day"],
  ["$HOME and $PATH", "$HOME and $PATH"],
  ["`$x$` and ```\n$y$ \\(z\\)\n``` and $z$", "`$x$` and ```\n$y$ \\(z\\)\n``` and $$z$$"],
  ["```\n\\(open fence\\)", "```\n\\(open fence\\)"],
])("%j is %j", (text, expected) => {
  expect(withMathMarks(text)).toBe(expected);
});

test("only text outside of code has formulas", () => {
  expect(hasMath("$$x$$")).toBe(true);
  expect(hasMath("`echo $$` is the process")).toBe(false);
});
