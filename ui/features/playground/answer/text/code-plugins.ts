import rehypeHighlight from "rehype-highlight";
import type { Plugins } from "./plugins.ts";

/** Colors for code in about 35 usual languages; what names none stays plain. */
export const CODE_PLUGINS: Plugins = { remark: [], rehype: [[rehypeHighlight, { detect: false }]] };
