import Markdown, { type Components } from "react-markdown";
import rehypeRaw from "rehype-raw";
import rehypeSanitize from "rehype-sanitize";

/** A picture without a description is decoration to a screen reader, not a file name to spell. */
const COMPONENTS: Components = { img: ({ node: _node, ...image }) => <img {...image} alt={image.alt ?? ""} /> };

/** Text of an administrator as Markdown: HTML in it is kept where it is harmless, scripts and handlers never run. */
const SafeContent = ({ text }: { text: string }) => (
  <Markdown rehypePlugins={[rehypeRaw, rehypeSanitize]} components={COMPONENTS}>
    {text}
  </Markdown>
);

export default SafeContent;
