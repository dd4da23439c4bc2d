import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import { QRCodeSVG } from "qrcode.react";
import { useTranslation } from "react-i18next";

const SIZE = 200;

type Props = {
  /** What the code says; empty: there is none to show. */
  code: string;
  /** What to do with it. */
  body: string;
  onClose: () => void;
};

/** A code to scan with a payment app. */
export const PayCodeDialog = ({ code, body, onClose }: Props) => {
  const { t } = useTranslation();
  return (
    <Dialog open={code !== ""} onClose={onClose} aria-labelledby="pay-code">
      <DialogTitle id="pay-code" sx={{ fontSize: 16, fontWeight: 620, pb: 3 }}>
        {t("wallet.topUp.codeTitle")}
      </DialogTitle>
      <DialogContent sx={{ textAlign: "center", fontSize: 13 }}>
        <Box sx={{ mb: 3, textAlign: "start" }}>{body}</Box>
        <Box sx={{ display: "inline-block", p: 3, bgcolor: "#fff", borderRadius: "7px", lineHeight: 0 }}>
          <QRCodeSVG value={code} size={SIZE} title={t("wallet.topUp.codeTitle")} />
        </Box>
        <Box sx={{ mt: 3, color: "text.secondary" }}>{t("wallet.topUp.codeWaiting")}</Box>
      </DialogContent>
      <DialogActions sx={{ px: 6, pb: 4 }}>
        <Button onClick={onClose}>{t("components.close")}</Button>
      </DialogActions>
    </Dialog>
  );
};
