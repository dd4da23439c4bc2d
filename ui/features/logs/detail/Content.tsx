import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { LogOther } from "../../../../src/billing/types.ts";
import { CopyButton } from "../../../components/CopyButton.tsx";
import { Col, Row } from "../../../components/layout.tsx";

const TEXTS = [
  ["systemPrompt", "system_prompt"],
  ["context", "context"],
  ["inputContent", "input_content"],
  ["outputContent", "output_content"],
] as const;

/** What was said, where the site keeps it; long texts are folded. */
export const Content = ({ other }: { other: Partial<LogOther> }) => {
  const { t } = useTranslation();
  const kept = TEXTS.flatMap(([name, field]) => {
    const text = other[field];
    return text ? [{ name, text }] : [];
  });
  if (kept.length === 0) return null;
  return (
    <Col gap={4} sx={{ mt: 5 }}>
      {kept.map(({ name, text }) => (
        <FoldedText key={name} title={t(`logs.detail.${name}`)} text={text} />
      ))}
    </Col>
  );
};

const FOLDED_CHARACTERS = 400;

const FoldedText = ({ title, text }: { title: string; text: string }) => {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const isLong = text.length > FOLDED_CHARACTERS;
  return (
    <Box component="section">
      <Row gap={1} sx={{ mb: 1, minHeight: 24 }}>
        <Box component="h3" sx={{ m: 0, fontSize: 12, fontWeight: 600, color: "text.secondary" }}>
          {title}
        </Box>
        <CopyButton text={text} />
        {isLong && (
          <Button
            size="small"
            variant="text"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
            sx={{ height: 24 }}
          >
            {isOpen ? t("logs.detail.showLess") : t("logs.detail.showMore")}
          </Button>
        )}
      </Row>
      <Box
        sx={{
          p: 3,
          fontSize: 12.5,
          lineHeight: "19px",
          whiteSpace: "pre-wrap",
          overflowWrap: "anywhere",
          border: "1px solid",
          borderColor: "line.main",
          borderRadius: 1,
          bgcolor: "surface.paper",
        }}
      >
        {isLong && !isOpen ? `${text.slice(0, FOLDED_CHARACTERS)}…` : text}
      </Box>
    </Box>
  );
};
