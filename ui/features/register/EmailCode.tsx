import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { notifyDone, notifyError } from "../../components/notify.tsx";
import { LabelledInput } from "../login/LabelledInput.tsx";
import { sendCode } from "./register-calls.ts";
import { useCountdown } from "./use-countdown.ts";

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
