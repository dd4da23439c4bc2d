import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useMutation } from "@tanstack/react-query";
import { QRCodeSVG } from "qrcode.react";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../../components/CopyButton.tsx";
import { Col, Row } from "../../components/layout.tsx";
import { LabelledInput } from "../login/LabelledInput.tsx";
import { confirmTotp, type TotpSecret } from "./security-calls.ts";

type Props = { totp: TotpSecret; onConfirmed: (recoveryCodes: string[]) => void; onCancel: () => void };

const QR_SIZE = 168;

/** Brings the secret into the authenticator app, and a first code back. */
export const TotpSetup = ({ totp, onConfirmed, onCancel }: Props) => {
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
          <QRCodeSVG value={totp.uri} size={QR_SIZE} title={t("security.totp.picture")} />
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
