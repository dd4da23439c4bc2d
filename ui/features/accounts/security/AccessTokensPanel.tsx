import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "../../../api/client.ts";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { OptionalDateTime } from "../../../components/inputs/date-time/OptionalDateTime.tsx";
import { LabelledInput, PasswordField } from "../../../components/inputs/LabelledInput.tsx";
import { Field, Panel, Row } from "../../../components/layout.tsx";
import { Entry } from "../../../components/page/Entry.tsx";
import { AskDialog } from "./AskDialog.tsx";
import { type AccessToken, accessTokens, createAccessToken, revokeAccessToken } from "./access-token-calls.ts";

const LONGEST_NAME = 40;

/** The user's system access tokens, with which tools manage the gateway as the user. A new one is shown only once. */
export const AccessTokensPanel = () => {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(accessTokens);
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  const reload = () => queries.invalidateQueries(accessTokens);
  const revoke = useMutation({
    mutationFn: (id: number) => revokeAccessToken(id),
    onSuccess: () => {
      setMade(null);
      notifyDone(t("security.tokens.revoked"));
    },
    onError: notifyError,
    onSettled: reload,
  });
  const nameOf = ({ name }: AccessToken) => name || t("security.tokens.unnamed");
  const askToRevoke = async (token: AccessToken) => {
    const isSure = await confirm({
      title: t("security.tokens.revokeTitle", { name: nameOf(token) }),
      body: t("security.tokens.revokeBody"),
      action: t("security.tokens.revoke"),
      isDangerous: true,
    });
    if (isSure) revoke.mutate(token.id);
  };
  return (
    <Panel
      title={t("security.tokens.title")}
      action={
        <Button size="small" onClick={() => setAdding(true)}>
          {t("security.tokens.make")}
        </Button>
      }
    >
      <Box sx={{ maxWidth: 560, mb: 4, fontSize: 13, color: "text.secondary" }}>
        {t("security.tokens.hint")} <Link to="/reference">{t("shell.reference")}</Link>
      </Box>
      {made !== null && <NewToken token={made} />}
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton variant="rounded" height={40} />}
      {data?.length === 0 && <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("security.tokens.none")}</Box>}
      <Box>
        {data?.map((token) => (
          <Entry
            key={token.id}
            title={
              <Row gap={2} wrap>
                {nameOf(token)}
                {token.token_end && <code>…{token.token_end}</code>}
                {isExpired(token) && <StatusChip tone="bad">{t("security.tokens.expired")}</StatusChip>}
              </Row>
            }
            action={
              <Button size="small" color="error" onClick={() => void askToRevoke(token)}>
                {t("security.tokens.revoke")}
              </Button>
            }
          >
            <TokenTimes token={token} />
          </Entry>
        ))}
      </Box>
      {isAdding && (
        <NewTokenDialog
          onMade={(token) => {
            setMade(token);
            void reload();
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </Panel>
  );
};

const isExpired = ({ expires_time: expires }: AccessToken): boolean =>
  expires > 0 && expires <= Math.floor(Date.now() / 1000);

const TokenTimes = ({ token }: { token: AccessToken }) => {
  const { t } = useTranslation();
  const { created_time: created, last_used_time: used, expires_time: expires } = token;
  return (
    <>
      {t("security.tokens.created")} <TimeAgo seconds={created} />
      {" · "}
      {used === 0 ? (
        t("security.tokens.neverUsed")
      ) : (
        <>
          {t("security.tokens.used")} <TimeAgo seconds={used} />
        </>
      )}
      {" · "}
      {expires === 0 ? (
        t("security.tokens.never")
      ) : (
        <>
          {t("security.tokens.expires")} <TimeAgo seconds={expires} />
        </>
      )}
    </>
  );
};

const NewToken = ({ token }: { token: string }) => {
  const { t } = useTranslation();
  return (
    <Box role="status" sx={{ mb: 4 }}>
      <Row
        sx={{
          p: 2,
          pl: 3,
          maxWidth: 560,
          border: "1px solid",
          borderColor: "tone.ok.line",
          bgcolor: "tone.ok.tint",
          borderRadius: 1,
        }}
      >
        <Box component="code" sx={{ flex: 1, minWidth: 0, overflowWrap: "anywhere" }}>
          {token}
        </Box>
        <CopyButton text={token} />
      </Row>
      <Box sx={{ mt: 1, fontSize: 12, color: "text.secondary" }}>{t("security.tokens.shown")}</Box>
    </Box>
  );
};

type NewTokenDialogProps = Readonly<{
  onMade: (token: string) => void;
  onClose: () => void;
}>;

/** Asks for a name and an expiry, and for the password only where the server wants it: the sign-in is not recent. */
const NewTokenDialog = ({ onMade, onClose }: NewTokenDialogProps) => {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const [expires, setExpires] = useState<number | null | undefined>(null);
  const [password, setPassword] = useState("");
  const [needsPassword, setNeedsPassword] = useState(false);
  const submit = async () => {
    try {
      const made = await createAccessToken({
        name,
        expires_time: expires ?? 0,
        ...(needsPassword && { password }),
      });
      onMade(made.token);
      onClose();
    } catch (error) {
      if (error instanceof ApiError && error.code === "owner_password_required") setNeedsPassword(true);
      throw error;
    }
  };
  return (
    <AskDialog
      title={t("security.tokens.makeTitle")}
      action={t("security.tokens.make")}
      isDisabled={name.trim() === "" || expires === undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <LabelledInput
        label={t("security.tokens.name")}
        name="access-token-name"
        autoFocus
        autoComplete="off"
        placeholder={t("security.tokens.namePlaceholder")}
        maxCharacters={LONGEST_NAME}
        value={name}
        onChange={setName}
      />
      <Field
        label={t("security.tokens.expiry")}
        error={expires === undefined ? t("security.tokens.expiryInvalid") : undefined}
      >
        <OptionalDateTime
          label={t("security.tokens.expiry")}
          none={t("components.neverExpires")}
          value={expires}
          hasError={expires === undefined}
          onChange={setExpires}
        />
      </Field>
      {needsPassword && (
        <PasswordField
          label={t("security.password")}
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
        />
      )}
    </AskDialog>
  );
};
