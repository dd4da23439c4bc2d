import Markdown, { type Components } from "react-markdown";
import rehypeRaw from "rehype-raw";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";

/** A picture without a description is decoration to a screen reader, not a file name to spell. */
const COMPONENTS: Components = { img: ({ node: _node, ...image }) => <img {...image} alt={image.alt ?? ""} /> };

/** Text of an administrator as Markdown: HTML in it is kept where it is harmless, scripts and handlers never run. */
const SafeContent = ({ text }: { text: string }) => (
  <Markdown remarkPlugins={[remarkGfm]} rehypePlugins={[rehypeRaw, rehypeSanitize]} components={COMPONENTS}>
    {text}
  </Markdown>
);

export default SafeContent;
