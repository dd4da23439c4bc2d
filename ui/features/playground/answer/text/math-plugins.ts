import rehypeKatex from "rehype-katex";
import remarkMath from "remark-math";
import type { Plugins } from "./plugins.ts";

/** Formulas between `$$`, as MathML, which browsers set without styles or fonts of its own. */
export const MATH_PLUGINS: Plugins = {
  remark: [[remarkMath, { singleDollarTextMath: false }]],
  rehype: [[rehypeKatex, { output: "mathml", throwOnError: false, strict: false, maxExpand: 200, maxSize: 20 }]],
};
