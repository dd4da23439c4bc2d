import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { UserView } from "../../../../src/domain/accounts/users/user-view.ts";
import { deleteAccount } from "../../../api/accounts/self-calls.ts";
import { readData } from "../../../api/client.ts";
import { accountExportApi } from "../../../api/groups.ts";
import { openFile } from "../../../components/display/DownloadButton.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { LabelledInput, PasswordField } from "../../../components/inputs/LabelledInput.tsx";
import { SwitchRow } from "../../../components/inputs/SwitchRow.tsx";
import { Panel } from "../../../components/layout.tsx";
import { useSession } from "../../../state/session.ts";
import { AskDialog } from "../security/AskDialog.tsx";

/** Downloads all data stored about the user. */
export const ExportPanel = () => {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const [withKeys, setWithKeys] = useState(false);
  const [password, setPassword] = useState("");
  const submit = async () => {
    const body = withKeys ? { with_keys: true, password } : {};
    openFile((await readData(accountExportApi.self.export.download.post(body))).address);
    notifyDone(t("profile.export.done"));
    setOpen(false);
  };
  return (
    <Panel title={t("profile.export.title")}>
      <Box sx={{ maxWidth: 560, mb: 4, fontSize: 13, color: "text.secondary" }}>{t("profile.export.hint")}</Box>
      <Button
        onClick={() => {
          setPassword("");
          setWithKeys(false);
          setOpen(true);
        }}
      >
        {t("profile.export.open")}
      </Button>
      {isOpen && (
        <AskDialog
          title={t("profile.export.open")}
          body={t("profile.export.body")}
          action={t("profile.export.action")}
          onSubmit={submit}
          onClose={() => setOpen(false)}
        >
          <SwitchRow
            label={t("profile.export.withKeys")}
            hint={t("profile.export.withKeysHint")}
            isOn={withKeys}
            onChange={setWithKeys}
          />
          {withKeys && (
            <PasswordField
              label={t("profile.export.password")}
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

/** Deletes the user's own account, after typing its name. */
export const DeleteAccountPanel = ({ user }: { user: UserView }) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { forget } = useSession();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const submit = async () => {
    if (name !== user.username) throw new Error(t("profile.delete.mismatch"));
    await deleteAccount(name);
    forget();
    notifyDone(t("profile.delete.done"));
    await navigate({ to: "/login", search: {} });
  };
  return (
    <Panel title={t("profile.delete.title")}>
      <Box sx={{ maxWidth: 560, mb: 4, fontSize: 13, color: "text.secondary" }}>{t("profile.delete.hint")}</Box>
      <Button
        color="error"
        onClick={() => {
          setName("");
          setOpen(true);
        }}
      >
        {t("profile.delete.open")}
      </Button>
      {isOpen && (
        <AskDialog
          title={t("profile.delete.confirmTitle")}
          body={t("profile.delete.confirmBody")}
          action={t("profile.delete.action")}
          isDangerous
          onSubmit={submit}
          onClose={() => setOpen(false)}
        >
          <LabelledInput
            label={t("profile.delete.name", { name: user.username })}
            name="account-name"
            autoFocus
            autoComplete="off"
            value={name}
            onChange={setName}
          />
        </AskDialog>
      )}
    </Panel>
  );
};
