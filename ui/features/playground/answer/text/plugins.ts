import type { Options } from "react-markdown";

/** Plugins that some texts need. */
export type Plugins = Readonly<{
  remark: NonNullable<Options["remarkPlugins"]>;
  rehype: NonNullable<Options["rehypePlugins"]>;
}>;

export const NO_PLUGINS: Plugins = { remark: [], rehype: [] };
