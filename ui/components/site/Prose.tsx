import Box from "@mui/material/Box";
import Markdown, { type Components, defaultUrlTransform } from "react-markdown";
import rehypeRaw from "rehype-raw";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { sitePath } from "../../lib/base-path.ts";

/** An administrator's text as a page: headings, lists, tables, code. */
export const Prose = ({ text }: { text: string }) => (
  <Box
    sx={{
      fontSize: 14,
      lineHeight: "22px",
      overflowWrap: "anywhere",
      "& h1": { fontSize: 20, lineHeight: "28px", mt: 0, mb: 3 },
      "& h2": { fontSize: 16, lineHeight: "24px", mt: 6, mb: 2 },
      "& h3": { fontSize: 14, lineHeight: "22px", mt: 4, mb: 1 },
      "& p, & ul, & ol, & pre, & blockquote, & table": { mt: 0, mb: 3 },
      "& ul, & ol": { pl: 5 },
      "& img": { maxWidth: "100%", height: "auto" },
      "& a": { color: "primary.main" },
      "& pre": { p: 3, whiteSpace: "pre-wrap", border: "1px solid", borderColor: "line.main", borderRadius: 1 },
      "& blockquote": { mx: 0, pl: 4, borderLeft: "3px solid", borderColor: "line.strong", color: "text.secondary" },
      "& table": { borderCollapse: "collapse", display: "block", overflowX: "auto" },
      "& th, & td": { px: 2, py: 1, border: "1px solid", borderColor: "line.main", textAlign: "left" },
    }}
  >
    <SafeContent text={text} />
  </Box>
);

/** Styles of the text itself: nothing that moves it over other parts of the page, or loads something. */
const STYLE =
  /^(\s*(text-(align|decoration|transform)|color|background-color|font-(size|weight|style)|line-height|letter-spacing|white-space|margin(-\w+)?|padding(-\w+)?)\s*:[\w\s#%.,]+(;|$))*\s*$/i;

/** The look of what an operator writes stays: alignment, classes, links that open a tab of their own. */
const SCHEMA: typeof defaultSchema = {
  ...defaultSchema,
  attributes: {
    ...defaultSchema.attributes,
    "*": [...(defaultSchema.attributes?.["*"] ?? []), ["style", STYLE], "className"],
    a: [...(defaultSchema.attributes?.a ?? []).filter((rule) => !Array.isArray(rule)), "target"],
  },
};

/** Without alt text, screen readers would spell the image's file name. */
const COMPONENTS: Components = {
  img: ({ node: _node, ...image }) => <img {...image} alt={image.alt ?? ""} />,
  a: ({ node: _node, ...link }) => <a {...link} {...(link.target && { rel: "noopener noreferrer" })} />,
};

/** A path is one of this site. */
const transformUrl = (url: string): string => sitePath(defaultUrlTransform(url));

/** An administrator's Markdown with sanitized HTML: scripts and handlers never run. */
const SafeContent = ({ text }: { text: string }) => (
  <Markdown
    remarkPlugins={[remarkGfm]}
    rehypePlugins={[rehypeRaw, [rehypeSanitize, SCHEMA]]}
    components={COMPONENTS}
    urlTransform={transformUrl}
  >
    {text}
  </Markdown>
);

export default SafeContent;
