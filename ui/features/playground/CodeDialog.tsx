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
import { gatewayAddress } from "../../lib/snippets/examples.ts";
import { useSite } from "../../state/site-status.ts";
import type { ChatBody } from "./chat/chat.ts";
import { CODE_LANGUAGES, type CodeLanguage, codeOf } from "./chat/code.ts";

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
              {t(`apiKeys.use.${name}`)}
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
