import Box from "@mui/material/Box";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { CodeBox } from "../../components/display/CodeBox.tsx";
import { CopyButton } from "../../components/display/CopyButton.tsx";
import { Row } from "../../components/layout.tsx";
import { AnswerImage } from "./AnswerImage.tsx";

type Element = Readonly<{ type?: string; value?: string; children?: readonly Element[] }>;

const textIn = (element: Element | undefined): string =>
  element?.value ?? (element?.children ?? []).map(textIn).join("");

const CodeBlock = ({ code }: { code: string }) => {
  const { t } = useTranslation();
  return (
    <Box sx={{ position: "relative", my: 3 }}>
      <Row sx={{ position: "absolute", top: 6, right: 6 }}>
        <CopyButton text={code} label={t("playground.copyCode")} />
      </Row>
      <CodeBox code={code} label={t("playground.code")} />
    </Box>
  );
};

const Frame = ({ children }: { children?: ReactNode }) => (
  <Box sx={{ overflowX: "auto" }}>
    <table>{children}</table>
  </Box>
);

const COMPONENTS: Components = {
  pre: ({ node }) => <CodeBlock code={textIn(node).replace(/\n$/, "")} />,
  table: ({ children }) => <Frame>{children}</Frame>,
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  ),
  img: ({ src, alt }) => <AnswerImage src={typeof src === "string" ? src : undefined} alt={alt ?? ""} />,
};

/** A model's answer as Markdown; HTML in it is shown as text. */
const AnswerText = ({ text }: { text: string }) => (
  <Box
    sx={{
      fontSize: 14,
      lineHeight: "22px",
      overflowWrap: "anywhere",
      "& p, & ul, & ol, & blockquote": { mt: 0, mb: 3 },
      "& h1, & h2, & h3": { fontSize: 15, lineHeight: "22px", mt: 4, mb: 2 },
      "& ul, & ol": { pl: 5 },
      "& a": { color: "primary.main" },
      "& th, & td": { px: 2, py: 1, border: "1px solid", borderColor: "line.main", textAlign: "left" },
      "& table": { borderCollapse: "collapse", mb: 3 },
    }}
  >
    <Markdown remarkPlugins={[remarkGfm]} components={COMPONENTS}>
      {text}
    </Markdown>
  </Box>
);

export default AnswerText;
