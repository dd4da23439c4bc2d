import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { CodeFormat } from "../../../../src/domain/playground/translate-request.ts";
import { readData } from "../../../api/client.ts";
import { playgroundApi } from "../../../api/groups.ts";
import { CodeBox } from "../../../components/display/CodeBox.tsx";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { ViewDialog } from "../../../components/feedback/FormDialog.tsx";
import { Row } from "../../../components/layout.tsx";
import { gatewayAddress } from "../../../lib/snippets/examples.ts";
import { useSite } from "../../../state/site-status.ts";
import type { ChatBody } from "../chat/chat-body.ts";
import { CODE_FORMATS, CODE_LANGUAGES, type CodeLanguage, codeOf, shownRequest } from "../chat/code.ts";

/** Names of products, the same in every language. */
const FORMAT_NAMES: Readonly<Record<CodeFormat, string>> = {
  "openai-chat": "Chat Completions",
  "openai-responses": "Responses",
  anthropic: "Anthropic Messages",
  gemini: "Gemini",
};

/** The chat's next call as code, in each format that the gateway takes. */
export const CodeDialog = ({ body, onClose }: { body: ChatBody; onClose: () => void }) => {
  const { t } = useTranslation();
  const [language, setLanguage] = useState<CodeLanguage>("curl");
  const [format, setFormat] = useState<CodeFormat>("openai-chat");
  const address = gatewayAddress(useSite()?.server_address);
  const request = shownRequest(body);
  const call = useQuery({
    queryKey: ["playground-code", format, request],
    queryFn: async () => readData(playgroundApi.code.post({ format, request })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const code = call.data && codeOf(language, format, call.data, address);
  return (
    <ViewDialog
      title={t("playground.asCode")}
      width="lg"
      onClose={onClose}
      actions={
        <>
          {code !== undefined && <CopyButton text={code} words={t("playground.copyCode")} />}
          <Button onClick={onClose}>{t("playground.close")}</Button>
        </>
      }
    >
      <Row gap={3} wrap sx={{ mb: 3 }}>
        <ToggleButtonGroup
          exclusive
          size="small"
          value={format}
          onChange={(_, chosen: CodeFormat | null) => chosen && setFormat(chosen)}
          aria-label={t("playground.format")}
          sx={{ flexWrap: "wrap" }}
        >
          {CODE_FORMATS.map((name) => (
            <ToggleButton key={name} value={name}>
              {FORMAT_NAMES[name]}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
        <ToggleButtonGroup
          exclusive
          size="small"
          value={language}
          onChange={(_, chosen: CodeLanguage | null) => chosen && setLanguage(chosen)}
          aria-label={t("playground.language")}
        >
          {CODE_LANGUAGES.map((name) => (
            <ToggleButton key={name} value={name}>
              {t(`apiKeys.use.${name}`)}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      </Row>
      {call.error ? (
        <ErrorState error={call.error} onRetry={() => void call.refetch()} />
      ) : code === undefined ? (
        <Skeleton variant="rounded" height={160} />
      ) : (
        <CodeBox code={code} label={t("playground.asCode")} />
      )}
      {call.data && call.data.dropped.length > 0 && (
        <Box sx={{ mt: 2, fontSize: 12, color: "text.tertiary" }}>
          {t("playground.notInFormat", { fields: call.data.dropped.join(", ") })}
        </Box>
      )}
    </ViewDialog>
  );
};
