import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Panel, Row } from "../../components/layout.tsx";
import { notifyDone, notifyError } from "../../components/notify.tsx";
import { StatusChip } from "../../components/StatusChip.tsx";
import { LabelledInput } from "../login/LabelledInput.tsx";
import { PasswordField } from "../login/PasswordField.tsx";
import { AskDialog } from "./AskDialog.tsx";
import { RecoveryCodes } from "./RecoveryCodes.tsx";
import { beginTotp, removeTotp, renewRecoveryCodes, security, type TotpSecret } from "./security-calls.ts";
import { TotpSetup } from "./TotpSetup.tsx";

type Question = "password" | "remove" | "renew";

/** The second factor: a code of an app on one's phone. */
export const TotpPanel = () => {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { data } = useQuery(security);
  const [question, setQuestion] = useState<Question | null>(null);
  const [answer, setAnswer] = useState("");
  const [secret, setSecret] = useState<TotpSecret | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const isOn = data?.totp_enabled ?? false;

  const ask = (next: Question) => {
    setAnswer("");
    setQuestion(next);
  };
  const begin = async (password: string) => {
    setSecret(await beginTotp(password));
    setQuestion(null);
  };
  const submit = async () => {
    if (question === "password") return begin(answer);
    if (question === "renew") setCodes(await renewRecoveryCodes(answer));
    else {
      await removeTotp(answer);
      notifyDone(t("security.totp.removed"));
    }
    setQuestion(null);
    await queries.invalidateQueries(security);
  };
  const turnOn = () => (data?.has_password ? ask("password") : begin("").catch(notifyError));
  const confirmed = (recoveryCodes: string[]) => {
    setSecret(null);
    setCodes(recoveryCodes);
    void queries.invalidateQueries(security);
  };
  return (
    <Panel title={t("security.totp.title")} action={isOn && <StatusChip tone="ok">{t("security.totp.on")}</StatusChip>}>
      {codes ? (
        <RecoveryCodes codes={codes} onDone={() => setCodes(null)} />
      ) : secret ? (
        <TotpSetup totp={secret} onConfirmed={confirmed} onCancel={() => setSecret(null)} />
      ) : (
        <>
          <Box sx={{ maxWidth: 560, mb: 4, fontSize: 13, color: "text.secondary" }}>{t("security.totp.hint")}</Box>
          {isOn ? (
            <Row wrap>
              <Button onClick={() => ask("renew")}>{t("security.totp.renew")}</Button>
              <Button color="error" onClick={() => ask("remove")}>
                {t("security.totp.remove")}
              </Button>
            </Row>
          ) : (
            <Button disabled={!data} onClick={() => void turnOn()}>
              {t("security.totp.turnOn")}
            </Button>
          )}
        </>
      )}
      {question && (
        <AskDialog
          title={t(`security.totp.ask.${question}`)}
          action={t(`security.totp.do.${question}`)}
          isDangerous={question === "remove"}
          isDisabled={answer === ""}
          onSubmit={submit}
          onClose={() => setQuestion(null)}
        >
          {question === "password" ? (
            <PasswordField
              label={t("security.password")}
              name="password"
              autoComplete="current-password"
              value={answer}
              onChange={setAnswer}
            />
          ) : (
            <LabelledInput
              label={t("security.totp.code")}
              hint={t("login.secondFactor.hint")}
              name="code"
              autoFocus
              autoComplete="one-time-code"
              value={answer}
              onChange={setAnswer}
            />
          )}
        </AskDialog>
      )}
    </Panel>
  );
};
