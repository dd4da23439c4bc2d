import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { saveFile } from "../../../components/display/DownloadButton.tsx";

type CreatedCodesProps = Readonly<{ name: string; keys: readonly string[]; onClose: () => void }>;

/** The codes that were just created, to save as a text file or copy. */
export const CreatedCodes = ({ name, keys, onClose }: CreatedCodesProps) => {
  const { t } = useTranslation();
  const id = useId();
  const text = keys.join("\n");
  const download = () =>
    saveFile(new Blob([`${text}\n`], { type: "text/plain" }), `${name.replace(/[\\/:*?"<>|\s]+/g, "-")}.txt`);
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} fullWidth maxWidth="sm">
      <DialogTitle id={id} sx={{ fontSize: 16, fontWeight: 620, pb: 1 }}>
        {t("codes.created.title", { count: keys.length })}
      </DialogTitle>
      <DialogContent>
        <Box sx={{ fontSize: 13, color: "text.secondary", mb: 4 }}>{t("codes.created.body")}</Box>
        <Box
          component="pre"
          tabIndex={0}
          className="mono"
          sx={{
            m: 0,
            p: 3,
            maxHeight: 320,
            overflow: "auto",
            fontSize: 12.5,
            border: "1px solid",
            borderColor: "line.main",
            borderRadius: 1,
          }}
        >
          {text}
        </Box>
      </DialogContent>
      <DialogActions sx={{ px: 6, pb: 4 }}>
        <CopyButton text={text} words={t("codes.created.copy")} />
        <Box sx={{ flex: 1 }} />
        <Button onClick={onClose}>{t("components.close")}</Button>
        <Button variant="contained" color="primary" onClick={download}>
          {t("codes.created.download")}
        </Button>
      </DialogActions>
    </Dialog>
  );
};
