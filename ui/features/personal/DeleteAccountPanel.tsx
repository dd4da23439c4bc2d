import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { UserView } from "../../../src/domain/accounts/users/user-view.ts";
import { Panel } from "../../components/layout.tsx";
import { notifyDone } from "../../components/notify.tsx";
import { LabelledInput } from "../login/LabelledInput.tsx";
import { AskDialog } from "../security/AskDialog.tsx";
import { useSession } from "../session/session.tsx";
import { deleteAccount } from "./self-calls.ts";

/** Deregisters oneself, after typing one's name. */
export const DeleteAccountPanel = ({ user }: { user: UserView }) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { forget } = useSession();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const submit = async () => {
    if (name !== user.username) throw new Error(t("personal.delete.mismatch"));
    await deleteAccount();
    forget();
    notifyDone(t("personal.delete.done"));
    await navigate({ to: "/login", search: {} });
  };
  return (
    <Panel title={t("personal.delete.title")}>
      <Box sx={{ maxWidth: 560, mb: 4, fontSize: 13, color: "text.secondary" }}>{t("personal.delete.hint")}</Box>
      <Button
        color="error"
        onClick={() => {
          setName("");
          setOpen(true);
        }}
      >
        {t("personal.delete.open")}
      </Button>
      {isOpen && (
        <AskDialog
          title={t("personal.delete.confirmTitle")}
          body={t("personal.delete.confirmBody")}
          action={t("personal.delete.action")}
          isDangerous
          onSubmit={submit}
          onClose={() => setOpen(false)}
        >
          <LabelledInput
            label={t("personal.delete.name", { name: user.username })}
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
