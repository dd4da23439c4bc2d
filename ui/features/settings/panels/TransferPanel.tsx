import Download from "@mui/icons-material/DownloadOutlined";
import Upload from "@mui/icons-material/UploadOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Checkbox from "@mui/material/Checkbox";
import { useMutation } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { saveFile } from "../../../components/display/DownloadButton.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Row } from "../../../components/layout.tsx";
import { ImportDrawer } from "./ImportDrawer.tsx";
import { exportSettings, type ImportPlan, planImport, readSettingsFile, type SettingsFile } from "./transfer-calls.ts";

/** Exports all settings to a file, and imports them after a preview. */
export const TransferPanel = () => {
  const { t } = useTranslation();
  const id = useId();
  const confirm = useConfirm();
  const file = useRef<HTMLInputElement>(null);
  const [withSecrets, setWithSecrets] = useState(false);
  const [open, setOpen] = useState<{ file: SettingsFile; plan: ImportPlan } | null>(null);
  const leave = useMutation({
    mutationFn: exportSettings,
    onSuccess: (content) => {
      const text = JSON.stringify(content, null, 2);
      saveFile(
        new Blob([text], { type: "application/json" }),
        `settings-${new Date().toISOString().slice(0, 10)}.json`,
      );
      notifyDone(t("settings.transfer.exported"));
    },
    onError: notifyError,
  });
  const start = async () => {
    const question = {
      title: t("settings.transfer.secretsTitle"),
      body: t("settings.transfer.secretsBody"),
      action: t("settings.transfer.export"),
      isDangerous: true,
    };
    if (!withSecrets || (await confirm(question))) leave.mutate(withSecrets);
  };
  const look = async (selected: File | undefined) => {
    if (!selected) return;
    const content = readSettingsFile(await selected.text());
    if (!content) {
      notifyError(t("settings.transfer.noFile"));
      return;
    }
    try {
      setOpen({ file: content, plan: await planImport(content.options) });
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <>
      <Row wrap gap={3} sx={{ rowGap: 2 }}>
        <Button startIcon={<Download />} loading={leave.isPending} onClick={() => void start()}>
          {t("settings.transfer.export")}
        </Button>
        <Button startIcon={<Upload />} onClick={() => file.current?.click()}>
          {t("settings.transfer.import")}
        </Button>
        <Row gap={1}>
          <Checkbox
            size="small"
            checked={withSecrets}
            onChange={(event) => setWithSecrets(event.target.checked)}
            slotProps={{ input: { id: `${id}secrets` } }}
          />
          <label htmlFor={`${id}secrets`} style={{ fontSize: 13 }}>
            {t("settings.transfer.withSecrets")}
          </label>
        </Row>
        <Box
          component="input"
          ref={file}
          type="file"
          accept="application/json,.json"
          hidden
          aria-label={t("settings.transfer.import")}
          onChange={(event: React.ChangeEvent<HTMLInputElement>) => {
            void look(event.target.files?.[0]);
            // Allows choosing the same file again.
            event.target.value = "";
          }}
        />
      </Row>
      {open && <ImportDrawer file={open.file} plan={open.plan} onClose={() => setOpen(null)} />}
    </>
  );
};
