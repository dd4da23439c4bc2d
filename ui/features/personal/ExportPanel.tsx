import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { readData } from "../../api/client.ts";
import { accountExportApi } from "../../api/groups.ts";
import { Panel } from "../../components/layout.tsx";
import { notifyDone } from "../../components/notify.tsx";
import { SwitchRow } from "../../components/SwitchRow.tsx";
import { openFile } from "../../components/save-file.ts";
import { PasswordField } from "../login/PasswordField.tsx";
import { AskDialog } from "../security/AskDialog.tsx";

/** Downloads everything that is kept of oneself. */
export const ExportPanel = () => {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const [withKeys, setWithKeys] = useState(false);
  const [password, setPassword] = useState("");
  const submit = async () => {
    const body = withKeys ? { with_keys: true, password } : {};
    openFile((await readData(accountExportApi.self.export.download.post(body))).address);
    notifyDone(t("personal.export.done"));
    setOpen(false);
  };
  return (
    <Panel title={t("personal.export.title")}>
      <Box sx={{ maxWidth: 560, mb: 4, fontSize: 13, color: "text.secondary" }}>{t("personal.export.hint")}</Box>
      <Button
        onClick={() => {
          setPassword("");
          setWithKeys(false);
          setOpen(true);
        }}
      >
        {t("personal.export.open")}
      </Button>
      {isOpen && (
        <AskDialog
          title={t("personal.export.open")}
          body={t("personal.export.body")}
          action={t("personal.export.action")}
          onSubmit={submit}
          onClose={() => setOpen(false)}
        >
          <SwitchRow
            label={t("personal.export.withKeys")}
            hint={t("personal.export.withKeysHint")}
            isOn={withKeys}
            onChange={setWithKeys}
          />
          {withKeys && (
            <PasswordField
              label={t("personal.export.password")}
              name="password"
              autoComplete="current-password"
              value={password}
              onChange={setPassword}
            />
          )}
        </AskDialog>
      )}
    </Panel>
  );
};
