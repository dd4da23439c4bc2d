import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Checkbox from "@mui/material/Checkbox";
import FormControlLabel from "@mui/material/FormControlLabel";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { saveFile } from "../../../../components/display/DownloadButton.tsx";
import { useConfirm } from "../../../../components/feedback/confirm.tsx";
import { ViewDialog } from "../../../../components/feedback/FormDialog.tsx";
import { notifyDone, notifyError } from "../../../../components/feedback/notify.tsx";
import { useSession } from "../../../../state/session.ts";
import { exportChannels } from "./transfer-calls.ts";

type ExportDialogProps = Readonly<{ /** Undefined: all. */ ids: readonly number[] | undefined; onClose: () => void }>;

const ROOT = 100;

/** Asks whether to include keys in the file; only the super admin can. */
export const ExportDialog = ({ ids, onClose }: ExportDialogProps) => {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const { user } = useSession();
  const [withSecrets, setWithSecrets] = useState(false);
  const leave = useMutation({
    mutationFn: () => exportChannels(ids, withSecrets),
    onSuccess: (content) => {
      const blob = new Blob([JSON.stringify(content, null, 2)], { type: "application/json" });
      saveFile(blob, `channels-${new Date().toISOString().slice(0, 10)}.json`);
      notifyDone(t("channels.transfer.exported", { count: content.channels.length }));
      onClose();
    },
    onError: notifyError,
  });
  const start = async () => {
    const question = {
      title: t("channels.transfer.secretsTitle"),
      body: t("channels.transfer.secretsBody"),
      action: t("channels.transfer.export"),
      isDangerous: true,
    };
    if (!withSecrets || (await confirm(question))) leave.mutate();
  };
  return (
    <ViewDialog
      title={ids ? t("channels.transfer.exportSome", { count: ids.length }) : t("channels.transfer.exportAll")}
      width="xs"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("components.cancel")}</Button>
          <Button variant="contained" color="primary" loading={leave.isPending} onClick={() => void start()}>
            {t("channels.transfer.export")}
          </Button>
        </>
      }
    >
      <Box sx={{ fontSize: 13, color: "text.secondary", mb: 3 }}>{t("channels.transfer.exportBody")}</Box>
      {(user?.role ?? 0) >= ROOT && (
        <FormControlLabel
          control={<Checkbox checked={withSecrets} onChange={(event) => setWithSecrets(event.target.checked)} />}
          label={t("channels.transfer.withSecrets")}
          slotProps={{ typography: { sx: { fontSize: 13 } } }}
          sx={{ ml: 0, gap: 2 }}
        />
      )}
    </ViewDialog>
  );
};
