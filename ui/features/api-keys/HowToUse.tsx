import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import { useQuery } from "@tanstack/react-query";
import { memo, useState } from "react";
import { useTranslation } from "react-i18next";
import { fullKey, type Token, usableModels } from "../../api/api-keys/api-key.ts";
import { exampleModel } from "../../api/models/default-model.ts";
import { modelPage } from "../../api/models/model.ts";
import { CodeBox } from "../../components/display/CodeBox.tsx";
import { CopyButton } from "../../components/display/CopyButton.tsx";
import { Panel, Row } from "../../components/layout.tsx";
import { NoModelsAction } from "../../components/page/NoModels.tsx";
import { gatewayAddress } from "../../lib/snippets/examples.ts";
import { addressOf, SNIPPETS, type SnippetName, snippetOf } from "../../lib/snippets/snippets.ts";
import { useSession } from "../../state/session.ts";
import { useSite } from "../../state/site-status.ts";
import { isAdmin } from "../../state/stored-user.ts";

const ANY_KEY = "sk-…";

/** The base URL and a first call; the copied snippet contains the newest active key. */
export const HowToUse = memo(({ token }: { token: Token | undefined }) => {
  const { t } = useTranslation();
  const { user } = useSession();
  const [name, setName] = useState<SnippetName>("curl");
  const baseUrl = `${gatewayAddress(useSite()?.server_address)}/v1`;
  const { data: models } = useQuery(usableModels);
  const model = exampleModel(models ?? []);
  const address = addressOf(name, baseUrl);
  const isOffered = models?.includes(model) ?? false;
  const facts = useQuery({ ...modelPage(model, user?.id), enabled: isOffered }).data?.model;
  const access = {
    baseUrl,
    model,
    contextWindow: facts?.context_window ?? null,
    outputLimit: facts?.output_limit ?? null,
  };
  const shown = snippetOf(name, { ...access, key: ANY_KEY });
  const copied = snippetOf(name, { ...access, key: token ? fullKey(token) : ANY_KEY });
  return (
    <Panel title={t("apiKeys.use.title")} hint={t("apiKeys.use.purpose")} sx={{ mt: 6 }}>
      <Row gap={3} wrap sx={{ mb: 3, rowGap: 2 }}>
        <Box sx={{ fontSize: 12.5, color: "text.tertiary" }}>{t("apiKeys.use.baseUrl")}</Box>
        <Row gap={1}>
          <Box component="code" sx={{ overflowWrap: "anywhere" }}>
            {address}
          </Box>
          <CopyButton text={address} />
        </Row>
        <Box sx={{ flex: 1 }} />
        <ToggleButtonGroup
          exclusive
          size="small"
          value={name}
          onChange={(_, chosen: SnippetName | null) => chosen && setName(chosen)}
          aria-label={t("apiKeys.use.language")}
          sx={{ flexWrap: "wrap", height: "auto", minWidth: 0 }}
        >
          {SNIPPETS.map((snippet) => (
            <ToggleButton key={snippet} value={snippet}>
              {t(`apiKeys.use.${snippet}`)}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
        <CopyButton text={copied} words={t("apiKeys.use.copySnippet")} />
      </Row>
      {models?.length === 0 && (
        <Alert severity="info" action={<NoModelsAction />} sx={{ mb: 3 }}>
          {t("apiKeys.use.noModels")} {t(isAdmin(user) ? "apiKeys.noModels.admin" : "apiKeys.noModels.user")}
        </Alert>
      )}
      <CodeBox code={shown} label={t("apiKeys.use.title")} />
    </Panel>
  );
});
