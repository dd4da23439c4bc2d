import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CodeBox } from "../../../components/display/CodeBox.tsx";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { Panel, Row } from "../../../components/layout.tsx";
import { useSite } from "../../../state/site-status.ts";
import { gatewayAddress } from "../../site/examples.ts";
import { addressOf, type SnippetName, snippetOf } from "../../tokens/snippets.ts";
import { type Capability, capabilityOf } from "../pricing/model-traits.ts";

const LANGUAGES = ["curl", "python", "typescript", "anthropic", "google"] as const satisfies readonly SnippetName[];
const KEY = "$SLUICE_KEY";

/** Paths and bodies of calls that are no chats. */
const OTHERS: Partial<Record<Capability, readonly [path: string, body: object]>> = {
  embedding: ["/embeddings", { input: "Hello" }],
  rerank: ["/rerank", { query: "fruit", documents: ["an apple", "a car"] }],
  image: ["/images/generations", { prompt: "A lighthouse at dawn", size: "1024x1024" }],
  video: ["/videos", { prompt: "Waves at dawn", seconds: "5" }],
  speech: ["/audio/speech", { input: "Hello", voice: "alloy" }],
  moderation: ["/moderations", { input: "Hello" }],
};

/** A call of the model that runs as it stands, with a placeholder for the key. */
export const ExampleCall = ({ model }: { model: string }) => {
  const { t } = useTranslation();
  const baseUrl = `${gatewayAddress(useSite()?.server_address)}/v1`;
  const [name, setName] = useState<SnippetName>("curl");
  const other = OTHERS[capabilityOf(model)];
  const code = other
    ? [
        `curl ${baseUrl}${other[0]} \\`,
        `  -H "Authorization: Bearer ${KEY}" \\`,
        '  -H "Content-Type: application/json" \\',
        `  -d '${JSON.stringify({ model, ...other[1] })}'`,
      ].join("\n")
    : snippetOf(name, { baseUrl: addressOf(name, baseUrl), key: KEY, model });
  return (
    <Panel title={t("model.example")} action={<CopyButton text={code} />}>
      {!other && (
        <Row wrap sx={{ mb: 3 }}>
          <ToggleButtonGroup
            exclusive
            size="small"
            value={name}
            onChange={(_, chosen: SnippetName | null) => chosen && setName(chosen)}
            aria-label={t("tokens.use.language")}
            sx={{ flexWrap: "wrap", height: "auto", minWidth: 0 }}
          >
            {LANGUAGES.map((snippet) => (
              <ToggleButton key={snippet} value={snippet}>
                {t(`tokens.use.${snippet}`)}
              </ToggleButton>
            ))}
          </ToggleButtonGroup>
        </Row>
      )}
      <CodeBox code={code} label={t("model.example")} />
    </Panel>
  );
};
