import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { readData, readEnvelope } from "../../../api/client.ts";
import { registerApi, verificationApi } from "../../../api/groups.ts";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import type { RegisterForm } from "./register-form.ts";

const PAUSE_SECONDS = 30;

type Props = {
  email: string;
  code: string;
  onEmail: (email: string) => void;
  onCode: (code: string) => void;
  emailError?: string | undefined;
  codeError?: string | undefined;
  /** The proof of being human, where the site asks for one. */
  turnstile: string;
  isTurnstileMissing: boolean;
  onSent: () => void;
};

/** An e-mail address and the code that is mailed to it; the next code can be asked for after half a minute. */
export const EmailCode = (props: Props) => {
  const { t } = useTranslation();
  const [seconds, countDown] = useCountdown();
  const send = useMutation({
    mutationFn: () => sendCode(props.email, props.turnstile),
    onSuccess: ({ message }) => {
      countDown(PAUSE_SECONDS);
      notifyDone(message);
    },
    onError: notifyError,
    onSettled: props.onSent,
  });
  const ask = () => {
    if (props.email.trim() === "") return notifyError(t("register.errors.email"));
    if (props.isTurnstileMissing) return notifyError(t("login.turnstile.wait"));
    send.mutate();
  };
  return (
    <>
      <LabelledInput
        label={t("register.email")}
        name="email"
        type="email"
        autoComplete="email"
        value={props.email}
        onChange={props.onEmail}
        error={props.emailError}
      />
      <LabelledInput
        label={t("register.code")}
        name="verification_code"
        autoComplete="one-time-code"
        inputProps={{ inputMode: "numeric" }}
        value={props.code}
        onChange={props.onCode}
        error={props.codeError}
        hint={t("register.codeHint")}
        endAdornment={
          <Box sx={{ flex: "none", ml: 2, mr: -1.5 }}>
            <Button size="small" onClick={ask} disabled={seconds > 0} loading={send.isPending}>
              {seconds > 0 ? t("register.resend", { seconds }) : t("register.send")}
            </Button>
          </Box>
        }
      />
    </>
  );
};

/** Seconds that are left, and what starts them. */
export function useCountdown(): readonly [seconds: number, start: (seconds: number) => void] {
  const [until, setUntil] = useState(0);
  const [now, setNow] = useState(0);
  const isRunning = until > now;
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [isRunning]);
  const start = (seconds: number) => {
    setNow(Date.now());
    setUntil(Date.now() + seconds * 1000);
  };
  return [Math.max(0, Math.ceil((until - now) / 1000)), start];
}

/** Makes the account; `affCode` is the code of whoever invited. */
export const register = (form: RegisterForm, turnstile: string, affCode: string) =>
  readData(
    registerApi.register.post(
      {
        username: form.username.trim(),
        password: form.password,
        password2: form.confirm,
        email: form.email.trim(),
        verification_code: form.code.trim(),
        aff_code: affCode,
      },
      { query: { turnstile } },
    ),
    { stayOn401: true },
  );

/** Mails a code to an address: to register with it, or to bind it when somebody is signed in. */
const sendCode = (email: string, turnstile: string) =>
  readEnvelope(verificationApi.verification.get({ query: { email: email.trim(), turnstile } }), { stayOn401: true });
