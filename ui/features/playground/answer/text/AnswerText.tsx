import Box from "@mui/material/Box";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { CodeBox } from "../../../../components/display/CodeBox.tsx";
import { CopyButton } from "../../../../components/display/CopyButton.tsx";
import { Row } from "../../../../components/layout.tsx";
import { AnswerImage } from "./AnswerImage.tsx";
import { CODE_COLORS } from "./code-colors.ts";
import { hasMath, withMathMarks } from "./math-marks.ts";
import { NO_PLUGINS, type Plugins } from "./plugins.ts";

type Element = Readonly<{ type?: string; value?: string; properties?: object; children?: readonly Element[] }>;

const textIn = (element: Element | undefined): string =>
  element?.value ?? (element?.children ?? []).map(textIn).join("");

/** The language that a fence names; empty: none. */
const languageOf = (element: Element | undefined): string => {
  const properties = element?.children?.[0]?.properties ?? {};
  const names = "className" in properties && Array.isArray(properties.className) ? properties.className : [];
  return (
    names
      .map(String)
      .find((name) => name.startsWith("language-"))
      ?.slice("language-".length) ?? ""
  );
};

const CodeBlock = ({ code, language, children }: { code: string; language: string; children: ReactNode }) => {
  const { t } = useTranslation();
  return (
    <Box sx={{ my: 3, border: "1px solid", borderColor: "line.main", borderRadius: 1, overflow: "hidden" }}>
      <Row
        sx={{
          pl: 4,
          pr: 1.5,
          minHeight: 30,
          bgcolor: "surface.sunken",
          borderBottom: "1px solid",
          borderColor: "line.main",
        }}
      >
        <Box sx={{ flex: 1, fontSize: 12, color: "text.secondary" }}>{language}</Box>
        <CopyButton text={code} label={t("playground.copyCode")} />
      </Row>
      <CodeBox code={code} label={t("playground.code")} sx={{ border: 0, borderRadius: 0, ...CODE_COLORS }}>
        {children}
      </CodeBox>
    </Box>
  );
};

const Frame = ({ children }: { children?: ReactNode }) => (
  <Box sx={{ overflowX: "auto" }}>
    <table>{children}</table>
  </Box>
);

const COMPONENTS: Components = {
  pre: ({ node, children }) => (
    <CodeBlock code={textIn(node).replace(/\n$/, "")} language={languageOf(node)}>
      {children}
    </CodeBlock>
  ),
  table: ({ children }) => <Frame>{children}</Frame>,
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  ),
  img: ({ src, alt }) => <AnswerImage src={typeof src === "string" ? src : undefined} alt={alt ?? ""} />,
};

/** Plugins that a text needs: loaded once the first text does, and until then it is shown without. */
function usePlugins(isNeeded: boolean, load: () => Promise<Plugins>): Plugins {
  const [plugins, setPlugins] = useState(NO_PLUGINS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is loaded never changes
  useEffect(() => {
    if (!isNeeded) return;
    let isClosed = false;
    // Without them the text is still readable.
    void load().then(
      (loaded) => !isClosed && setPlugins(loaded),
      () => undefined,
    );
    return () => {
      isClosed = true;
    };
  }, [isNeeded]);
  return plugins;
}

const loadMath = async () => (await import("./math-plugins.ts")).MATH_PLUGINS;
const loadCode = async () => (await import("./code-plugins.ts")).CODE_PLUGINS;

/** A model's answer as Markdown, with highlighted code and formulas; HTML in it is shown as text. */
const AnswerText = ({ text }: { text: string }) => {
  const marked = withMathMarks(text);
  const math = usePlugins(hasMath(marked), loadMath);
  const code = usePlugins(marked.includes("```"), loadCode);
  return (
    <Box
      sx={{
        fontSize: 14,
        lineHeight: "22px",
        overflowWrap: "anywhere",
        "& p, & ul, & ol, & blockquote": { mt: 0, mb: 3 },
        "& h1, & h2, & h3, & h4": { fontSize: 15, lineHeight: "22px", mt: 4, mb: 2 },
        "& ul, & ol": { pl: 5 },
        "& blockquote": { ml: 0, pl: 4, borderLeft: "3px solid", borderColor: "line.strong", color: "text.secondary" },
        "& a": { color: "primary.main" },
        "& th, & td": { px: 2, py: 1, border: "1px solid", borderColor: "line.main", textAlign: "left" },
        "& table": { borderCollapse: "collapse", mb: 3 },
        "& :not(pre) > code": { px: 1, borderRadius: "4px", fontSize: 12.5, bgcolor: "surface.sunken" },
        "& math[display=block]": { display: "block math", overflowX: "auto", overflowY: "hidden", mb: 3 },
      }}
    >
      <Markdown
        remarkPlugins={[remarkGfm, ...math.remark]}
        rehypePlugins={[...math.rehype, ...code.rehype]}
        components={COMPONENTS}
      >
        {marked}
      </Markdown>
    </Box>
  );
};

export default AnswerText;
