import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import { type FormEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { Col } from "../../../components/layout.tsx";
import { useSite } from "../../../state/site-status.ts";

type Props = {
  action: string;
  /** Uses the code; a rejection is shown. */
  onCode: (code: string) => Promise<void>;
  onClose: () => void;
};

const QR_SIZE = 180;

/** Asks for the code that the site's WeChat account sends to its followers. */
export const WeChatDialog = ({ action, onCode, onClose }: Props) => {
  const { t } = useTranslation();
  const titleId = useId();
  const qrCode = useSite()?.wechat_qrcode ?? "";
  const [code, setCode] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (code.trim() === "") return setProblem(t("identities.wechat.missing"));
    setSending(true);
    setProblem(null);
    try {
      await onCode(code.trim());
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setSending(false);
    }
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <form onSubmit={submit} noValidate>
        <DialogTitle id={titleId} sx={{ fontSize: 16, fontWeight: 620, pb: 1 }}>
          {t("identities.wechat.title")}
        </DialogTitle>
        <DialogContent>
          <Col gap={4}>
            <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("identities.wechat.hint")}</Box>
            {qrCode && (
              <Box
                component="img"
                src={qrCode}
                alt={t("identities.wechat.image")}
                sx={{ width: QR_SIZE, height: QR_SIZE, alignSelf: "center", objectFit: "contain", bgcolor: "#fff" }}
              />
            )}
            {problem && (
              <Alert role="alert" severity="error">
                {problem}
              </Alert>
            )}
            <LabelledInput
              label={t("identities.wechat.code")}
              name="code"
              autoFocus
              autoComplete="one-time-code"
              value={code}
              onChange={setCode}
            />
          </Col>
        </DialogContent>
        <DialogActions sx={{ px: 6, pb: 4 }}>
          <Button onClick={onClose}>{t("components.cancel")}</Button>
          <Button type="submit" variant="contained" color="primary" loading={isSending}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
};
