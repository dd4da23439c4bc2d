import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Col } from "../components/layout.tsx";
import { EntryCard } from "../features/login/EntryCard.tsx";
import { EntryLinks } from "../features/login/EntryLinks.tsx";
import { LabelledInput } from "../features/login/LabelledInput.tsx";
import { useTurnstile } from "../features/login/use-turnstile.tsx";
import { useCountdown } from "../features/register/use-countdown.ts";
import { requestReset } from "../features/reset/reset-calls.ts";

const CARD_WIDTH = 376;
const PAUSE_SECONDS = 30;

/** Asks for a mail with a link that resets the password. */
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
    const problem = email.trim() === "" ? t("reset.missing") : human.isMissing ? t("login.turnstile.wait") : null;
    setMissing(problem);
    if (!problem) ask.mutate();
  };
  const problem = missing ?? ask.error?.message;
  return (
    <EntryCard title={t("reset.title")} purpose={t("reset.purpose")} maxWidth={CARD_WIDTH}>
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
