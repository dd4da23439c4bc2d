import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { CodeBox } from "../../../components/display/CodeBox.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import type { ToolCall } from "../chat/chat.ts";

/** The arguments as indented JSON; as they came while they are incomplete. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

type Props = Readonly<{
  tools: readonly ToolCall[];
  /** Continues with a result for each call; null: they have their results, or nothing can be sent. */
  onResults: ((results: readonly string[]) => void) | null;
}>;

/** The functions that a model called, with what they returned, or fields for it. */
export const ToolCalls = ({ tools, onResults }: Props) => {
  const { t } = useTranslation();
  const [texts, setTexts] = useState<Readonly<Record<number, string>>>({});
  const id = useId();
  const resultOf = (tool: ToolCall, index: number) => texts[index] ?? tool.result ?? "";
  return (
    <Col gap={3} sx={{ mb: 3 }}>
      {tools.map((tool, index) => {
        const name = t("playground.tool", { name: tool.name });
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: tool calls keep their order
          <Box key={index}>
            <Box sx={{ fontSize: 12, mb: 1, color: "text.secondary" }}>{name}</Box>
            <CodeBox code={indented(tool.arguments)} label={name} sx={{ p: 3 }} />
            {onResults ? (
              <Box sx={{ mt: 2 }}>
                <Box component="label" htmlFor={`${id}-${index}`} sx={{ fontSize: 12, color: "text.secondary" }}>
                  {t("playground.toolResult", { name: tool.name })}
                </Box>
                <OutlinedInput
                  id={`${id}-${index}`}
                  fullWidth
                  multiline
                  maxRows={10}
                  value={resultOf(tool, index)}
                  onChange={(event) => setTexts({ ...texts, [index]: event.target.value })}
                  inputProps={{ className: "mono", spellCheck: false }}
                  sx={{ mt: 1 }}
                />
              </Box>
            ) : (
              tool.result !== undefined && (
                <Box sx={{ mt: 1 }}>
                  <Box sx={{ fontSize: 12, mb: 1, color: "text.secondary" }}>
                    {t("playground.toolResult", { name: tool.name })}
                  </Box>
                  <CodeBox
                    code={indented(tool.result)}
                    label={t("playground.toolResult", { name: tool.name })}
                    sx={{ p: 3, bgcolor: "surface.sunken" }}
                  />
                </Box>
              )
            )}
          </Box>
        );
      })}
      {onResults && (
        <Row>
          <Button size="small" onClick={() => onResults(tools.map(resultOf))}>
            {t("playground.sendResults", { count: tools.length })}
          </Button>
        </Row>
      )}
    </Col>
  );
};
