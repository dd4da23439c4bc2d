import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { QRCodeSVG } from "qrcode.react";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { LabelledInput, PasswordField } from "../../../components/inputs/LabelledInput.tsx";
import { Col, Panel, Row } from "../../../components/layout.tsx";
import { AskDialog } from "./AskDialog.tsx";
import { beginTotp, confirmTotp, removeTotp, renewRecoveryCodes, security, type TotpSecret } from "./security-calls.ts";

type Question = "password" | "remove" | "renew";

/** The second factor: codes from an authenticator app. */
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
              hint={t("signIn.secondFactor.hint")}
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

type Props = { totp: TotpSecret; onConfirmed: (recoveryCodes: string[]) => void; onCancel: () => void };

const QR_SIZE = 168;

/** Shows the secret for the authenticator app and asks for a first code. */
const TotpSetup = ({ totp, onConfirmed, onCancel }: Props) => {
  const { t } = useTranslation();
  const [code, setCode] = useState("");
  const confirm = useMutation({ mutationFn: () => confirmTotp(code), onSuccess: onConfirmed });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    confirm.mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Col gap={4} sx={{ maxWidth: 400 }}>
        <Box sx={{ fontSize: 13 }}>{t("security.totp.scan")}</Box>
        {/* Cameras want black on white, in the dark scheme too. */}
        <Box sx={{ alignSelf: "flex-start", p: 3, bgcolor: "#fff", borderRadius: 1, lineHeight: 0 }}>
          <QRCodeSVG value={totp.uri} size={QR_SIZE} title={t("security.totp.image")} />
        </Box>
        <Row>
          <Box component="code" sx={{ overflowWrap: "anywhere" }}>
            {totp.secret}
          </Box>
          <CopyButton text={totp.secret} />
        </Row>
        {confirm.error && (
          <Alert role="alert" severity="error">
            {confirm.error.message}
          </Alert>
        )}
        <LabelledInput
          label={t("security.totp.code")}
          name="code"
          autoFocus
          autoComplete="one-time-code"
          inputProps={{ inputMode: "numeric" }}
          value={code}
          onChange={setCode}
        />
        <Row>
          <Button type="submit" variant="contained" color="primary" loading={confirm.isPending}>
            {t("security.totp.confirm")}
          </Button>
          <Button onClick={onCancel}>{t("components.cancel")}</Button>
        </Row>
      </Col>
    </form>
  );
};

/** Shows the recovery codes, which are displayed only once. */
const RecoveryCodes = ({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) => {
  const { t } = useTranslation();
  return (
    <Col gap={3} sx={{ alignItems: "flex-start" }}>
      <Box sx={{ fontSize: 13 }}>{t("security.totp.recoveryShown")}</Box>
      <Box
        role="status"
        sx={{
          display: "grid",
          gridTemplateColumns: "repeat(2, max-content)",
          columnGap: 6,
          rowGap: 1,
          p: 3,
          border: "1px solid",
          borderColor: "tone.ok.line",
          bgcolor: "tone.ok.tint",
          borderRadius: 1,
        }}
      >
        {codes.map((code) => (
          <code key={code}>{code}</code>
        ))}
      </Box>
      <Row>
        <CopyButton text={codes.join("\n")} />
        <Button variant="contained" color="primary" onClick={onDone}>
          {t("security.totp.recoverySaved")}
        </Button>
      </Row>
    </Col>
  );
};
