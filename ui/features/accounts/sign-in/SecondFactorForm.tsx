import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { Col } from "../../../components/layout.tsx";
import { useSession } from "../../../state/session.ts";

type Props = { onDone: () => void; onAgain: () => void };

/** Asks for the second factor after the first step of sign-in. */
export const SecondFactorForm = ({ onDone, onAgain }: Props) => {
  const { t } = useTranslation();
  const { finishSignIn } = useSession();
  const [code, setCode] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (code.trim() === "") return setProblem(t("signIn.secondFactor.missing"));
    setSending(true);
    setProblem(null);
    try {
      await finishSignIn(code.trim());
      onDone();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setSending(false);
    }
  };
  return (
    <form onSubmit={submit} noValidate>
      <Col gap={3.5}>
        {problem && (
          <Alert role="alert" severity="error">
            {problem}
          </Alert>
        )}
        <LabelledInput
          label={t("signIn.secondFactor.code")}
          hint={t("signIn.secondFactor.hint")}
          name="code"
          autoFocus
          autoComplete="one-time-code"
          value={code}
          onChange={setCode}
        />
        <Button
          type="submit"
          variant="contained"
          color="primary"
          fullWidth
          loading={isSending}
          sx={{ height: 36, mt: 1 }}
        >
          {t("signIn.submit")}
        </Button>
        <Button onClick={onAgain}>{t("signIn.secondFactor.again")}</Button>
      </Col>
    </form>
  );
};
