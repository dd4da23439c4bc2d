import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { replaceData } from "../../../api/replace-data.ts";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { LabelledInput, PasswordField } from "../../../components/inputs/LabelledInput.tsx";
import { Panel } from "../../../components/layout.tsx";
import { Entry } from "../../../components/page/Entry.tsx";
import { AskDialog } from "./AskDialog.tsx";
import { addPasskey, type Passkey, passkeys, removePasskey } from "./passkey-calls.ts";
import { security } from "./security-calls.ts";

const LONGEST_NAME = 40;

/** The user's passkeys, which sign in with the device's own lock. */
export const PasskeysPanel = () => {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(passkeys);
  const { data: guards } = useQuery(security);
  /** The open dialog: a new passkey, or the one to remove. */
  const [subject, setSubject] = useState<"new" | Passkey | null>(null);
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");

  const open = (next: "new" | Passkey) => {
    setName("");
    setPassword("");
    setSubject(next);
  };
  const submit = async () => {
    if (subject === null) return;
    const next = subject === "new" ? await addPasskey(name, password) : await removePasskey(subject.id, password);
    if (next) await replaceData(queries, passkeys.queryKey, next);
    setSubject(null);
  };
  const isSupported = typeof window.PublicKeyCredential === "function";
  const isNew = subject === "new";
  return (
    <Panel
      title={t("security.passkeys.title")}
      action={
        <Button size="small" disabled={!isSupported} onClick={() => open("new")}>
          {t("security.passkeys.add")}
        </Button>
      }
    >
      <Box sx={{ maxWidth: 560, fontSize: 13, color: "text.secondary" }}>
        {t(isSupported ? "security.passkeys.hint" : "security.passkeys.unsupported")}
      </Box>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data?.map((passkey) => (
        <Entry
          key={passkey.id}
          title={passkey.name}
          action={
            <Button size="small" color="error" onClick={() => open(passkey)}>
              {t("security.passkeys.remove")}
            </Button>
          }
        >
          {t("security.passkeys.added")} <TimeAgo seconds={passkey.created_at} />
          {passkey.last_used_at !== null && (
            <>
              {" · "}
              {t("security.passkeys.used")} <TimeAgo seconds={passkey.last_used_at} />
            </>
          )}
        </Entry>
      ))}
      {subject && (
        <AskDialog
          title={isNew ? t("security.passkeys.addTitle") : t("security.passkeys.removeTitle", { name: subject.name })}
          body={isNew ? t("security.passkeys.addBody") : t("security.passkeys.removeBody")}
          action={t(isNew ? "security.passkeys.add" : "security.passkeys.remove")}
          isDangerous={!isNew}
          isDisabled={(isNew && name.trim() === "") || (guards?.has_password === true && password === "")}
          onSubmit={submit}
          onClose={() => setSubject(null)}
        >
          {isNew && (
            <LabelledInput
              label={t("security.passkeys.name")}
              name="passkey-name"
              autoFocus
              placeholder={t("security.passkeys.namePlaceholder")}
              maxCharacters={LONGEST_NAME}
              value={name}
              onChange={setName}
            />
          )}
          {guards?.has_password && (
            <PasswordField
              label={t("security.password")}
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
