import Markdown from "react-markdown";
import rehypeRaw from "rehype-raw";
import rehypeSanitize from "rehype-sanitize";

/** Text of an administrator as Markdown: HTML in it is kept where it is harmless, scripts and handlers never run. */
const SafeContent = ({ text }: { text: string }) => (
  <Markdown rehypePlugins={[rehypeRaw, rehypeSanitize]}>{text}</Markdown>
);

export default SafeContent;
