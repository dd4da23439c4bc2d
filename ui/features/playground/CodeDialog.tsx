import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CodeBox } from "../../components/display/CodeBox.tsx";
import { CopyButton } from "../../components/display/CopyButton.tsx";
import { useSite } from "../../state/site-status.ts";
import { gatewayAddress } from "../site/examples.ts";
import type { ChatBody } from "./chat.ts";

/** The chat's last call as code. */
export const CodeDialog = ({ body, onClose }: { body: ChatBody; onClose: () => void }) => {
  const { t } = useTranslation();
  const [language, setLanguage] = useState<CodeLanguage>("curl");
  const code = codeOf(language, body, `${gatewayAddress(useSite()?.server_address)}/v1`);
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="md" aria-labelledby="playground-code">
      <DialogTitle id="playground-code">{t("playground.asCode")}</DialogTitle>
      <DialogContent>
        <ToggleButtonGroup
          exclusive
          size="small"
          value={language}
          onChange={(_, chosen: CodeLanguage | null) => chosen && setLanguage(chosen)}
          aria-label={t("playground.language")}
          sx={{ mb: 3 }}
        >
          {CODE_LANGUAGES.map((name) => (
            <ToggleButton key={name} value={name}>
              {t(`tokens.use.${name}`)}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
        <CodeBox code={code} label={t("playground.asCode")} />
      </DialogContent>
      <DialogActions>
        <CopyButton text={code} words={t("playground.copyCode")} />
        <Button onClick={onClose}>{t("playground.close")}</Button>
      </DialogActions>
    </Dialog>
  );
};

const CODE_LANGUAGES = ["curl", "python", "typescript"] as const;
type CodeLanguage = (typeof CODE_LANGUAGES)[number];

/** The call as code, with a placeholder for the key. `baseUrl` ends in /v1. */
export function codeOf(language: CodeLanguage, body: ChatBody, baseUrl: string): string {
  const { model, messages, temperature, max_tokens } = body;
  const call = { model, messages, temperature, ...(max_tokens > 0 && { max_tokens }) };
  const url = JSON.stringify(baseUrl);
  switch (language) {
    case "curl":
      return [
        `curl ${baseUrl}/chat/completions \\`,
        '  -H "Authorization: Bearer $SLUICE_KEY" \\',
        '  -H "Content-Type: application/json" \\',
        `  -d '${JSON.stringify(call).replaceAll("'", "'\\''")}'`,
      ].join("\n");
    case "python":
      return [
        "import os",
        "from openai import OpenAI",
        "",
        `client = OpenAI(base_url=${url}, api_key=os.environ["SLUICE_KEY"])`,
        "answer = client.chat.completions.create(",
        ...Object.entries(call).map(([name, value]) => `    ${name}=${JSON.stringify(value)},`),
        ")",
        "print(answer.choices[0].message.content)",
      ].join("\n");
    case "typescript":
      return [
        'import OpenAI from "openai";',
        "",
        `const client = new OpenAI({ baseURL: ${url}, apiKey: process.env.SLUICE_KEY });`,
        `const answer = await client.chat.completions.create(${JSON.stringify(call, null, 2)});`,
        "console.log(answer.choices[0]?.message.content);",
      ].join("\n");
  }
}
