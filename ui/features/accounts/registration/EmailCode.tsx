import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { readData, readEnvelope } from "../../../api/client.ts";
import { registerApi, verificationApi } from "../../../api/groups.ts";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { useCountdown } from "../../../lib/use-countdown.ts";
import type { RegisterForm } from "./register-form.ts";

const PAUSE_SECONDS = 30;

type Props = {
  email: string;
  code: string;
  onEmail: (email: string) => void;
  onCode: (code: string) => void;
  emailError?: string | undefined;
  codeError?: string | undefined;
  /** The Turnstile token, if the site requires one. */
  turnstile: string;
  isTurnstileMissing: boolean;
  onSent: () => void;
};

/** An email address and the code sent to it; another code can be requested after half a minute. */
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
    if (props.email.trim() === "") return notifyError(t("registration.errors.email"));
    if (props.isTurnstileMissing) return notifyError(t("signIn.turnstile.wait"));
    send.mutate();
  };
  return (
    <>
      <LabelledInput
        label={t("registration.email")}
        name="email"
        type="email"
        autoComplete="email"
        value={props.email}
        onChange={props.onEmail}
        error={props.emailError}
      />
      <LabelledInput
        label={t("registration.code")}
        name="verification_code"
        autoComplete="one-time-code"
        inputProps={{ inputMode: "numeric" }}
        value={props.code}
        onChange={props.onCode}
        error={props.codeError}
        hint={t("registration.codeHint")}
        endAdornment={
          <Box sx={{ flex: "none", ml: 2, mr: -1.5 }}>
            <Button size="small" onClick={ask} disabled={seconds > 0} loading={send.isPending}>
              {seconds > 0 ? t("registration.resend", { seconds }) : t("registration.send")}
            </Button>
          </Box>
        }
      />
    </>
  );
};

/** Creates the account; `affCode` is the inviter's code. */
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

/** Mails a code to an address, to register with it or, when signed in, to link it. */
const sendCode = (email: string, turnstile: string) =>
  readEnvelope(verificationApi.verification.get({ query: { email: email.trim(), turnstile } }), { stayOn401: true });
