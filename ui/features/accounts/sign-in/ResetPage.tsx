import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import ButtonBase from "@mui/material/ButtonBase";
import { useMutation } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { readData, readEnvelope } from "../../../api/client.ts";
import { verificationApi } from "../../../api/groups.ts";
import { CopyButton, copyText } from "../../../components/display/CopyButton.tsx";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import { useCountdown } from "../../../lib/use-countdown.ts";
import { EntryCard, EntryLinks } from "./EntryCard.tsx";
import { useTurnstile } from "./use-turnstile.tsx";

const REQUEST_WIDTH = 376;
const PAUSE_SECONDS = 30;

/** Requests an email with a password reset link. */
export function ResetPage() {
  const { t } = useTranslation();
  const human = useTurnstile("reset");
  const [email, setEmail] = useState("");
  const [missing, setMissing] = useState<string | null>(null);
  const [seconds, countDown] = useCountdown();
  const ask = useMutation({
    mutationFn: () => requestReset(email, human.token),
    onSuccess: () => countDown(PAUSE_SECONDS),
    onSettled: human.renew,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const problem = email.trim() === "" ? t("reset.missing") : human.isMissing ? t("signIn.turnstile.wait") : null;
    setMissing(problem);
    if (!problem) ask.mutate();
  };
  const problem = missing ?? ask.error?.message;
  return (
    <EntryCard title={t("reset.title")} purpose={t("reset.purpose")} maxWidth={REQUEST_WIDTH}>
      <form onSubmit={submit} noValidate>
        <Col gap={3.5}>
          {problem ? (
            <Alert role="alert" severity="error">
              {problem}
            </Alert>
          ) : (
            ask.data && (
              <Alert role="status" severity="success">
                {ask.data.message}
              </Alert>
            )
          )}
          <LabelledInput
            label={t("reset.email")}
            name="email"
            type="email"
            autoFocus
            autoComplete="email"
            value={email}
            onChange={setEmail}
          />
          {human.widget}
          <Button
            type="submit"
            variant="contained"
            color="primary"
            fullWidth
            disabled={seconds > 0}
            loading={ask.isPending}
            sx={{ height: 36, mt: 1 }}
          >
            {seconds > 0 ? t("reset.wait", { seconds }) : t("reset.submit")}
          </Button>
        </Col>
      </form>
      <EntryLinks to={["/login"]} />
    </EntryCard>
  );
}

const CONFIRM_WIDTH = 400;

/** The target of the reset link. Only the button uses the token, so that a mail scanner's visit doesn't. */
export function UserResetPage() {
  const { t } = useTranslation();
  const search: { email?: unknown; token?: unknown } = useSearch({ strict: false });
  const email = typeof search.email === "string" ? search.email : "";
  const token = typeof search.token === "string" ? search.token : "";
  const [isCopied, setCopied] = useState(false);
  const copy = async (password: string) => setCopied(await copyText(password));
  const reset = useMutation({ mutationFn: () => confirmReset(email, token), onSuccess: copy });
  const isLink = email !== "" && token !== "";
  return (
    <EntryCard title={t("reset.confirm.title")} purpose={t("reset.confirm.purpose")} maxWidth={CONFIRM_WIDTH}>
      <Col gap={4}>
        {!isLink && <Alert severity="error">{t("reset.confirm.noLink")}</Alert>}
        {reset.error && (
          <Alert role="alert" severity="error">
            {reset.error.message}
          </Alert>
        )}
        {reset.data ? (
          <Box role="status">
            <Box sx={{ mb: 2, fontSize: 13, color: "text.secondary" }}>
              {t(isCopied ? "reset.confirm.copied" : "reset.confirm.done")}
            </Box>
            <Row
              sx={{
                p: 2,
                pl: 3,
                border: "1px solid",
                borderColor: "tone.ok.line",
                bgcolor: "tone.ok.tint",
                borderRadius: 1,
              }}
            >
              <ButtonBase
                onClick={() => copy(reset.data)}
                sx={{ flex: 1, minWidth: 0, justifyContent: "start", textAlign: "start" }}
              >
                <Box component="code" sx={{ minWidth: 0, overflowWrap: "anywhere" }}>
                  {reset.data}
                </Box>
              </ButtonBase>
              <CopyButton text={reset.data} />
            </Row>
          </Box>
        ) : (
          isLink && (
            <>
              <Box sx={{ fontSize: 13, overflowWrap: "anywhere" }}>{email}</Box>
              <Button
                variant="contained"
                color="primary"
                fullWidth
                loading={reset.isPending}
                onClick={() => reset.mutate()}
                sx={{ height: 36 }}
              >
                {t("reset.confirm.submit")}
              </Button>
            </>
          )
        )}
      </Col>
      <EntryLinks to={["/login"]} />
    </EntryCard>
  );
}

/** Sends a reset link to the address if an account has it. */
const requestReset = (email: string, turnstile: string) =>
  readEnvelope(verificationApi.reset_password.get({ query: { email: email.trim(), turnstile } }), { stayOn401: true });

/** Redeems the reset token; resolves with the new password. */
const confirmReset = (email: string, token: string): Promise<string> =>
  readData(verificationApi.user.reset.post({ email, token }), { stayOn401: true });
