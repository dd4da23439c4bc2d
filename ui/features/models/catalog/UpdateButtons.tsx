import Download from "@mui/icons-material/CloudDownloadOutlined";
import Upload from "@mui/icons-material/UploadFileOutlined";
import Button from "@mui/material/Button";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { UpdateDrawer } from "./UpdateDrawer.tsx";

/** Updates the catalog from a source or from a file, after a preview. */
export const UpdateButtons = () => {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const [drawer, setDrawer] = useState<{ document?: string } | null>(null);
  const openFile = (file: File) => file.text().then((document) => setDrawer({ document }), notifyError);
  return (
    <>
      <Button startIcon={<Download />} onClick={() => setDrawer({})}>
        {t("catalog.update.fetch")}
      </Button>
      <Button startIcon={<Upload />} onClick={() => input.current?.click()}>
        {t("catalog.update.import")}
      </Button>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        hidden
        aria-label={t("catalog.update.import")}
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file) void openFile(file);
          // Allows choosing the same file again.
          event.target.value = "";
        }}
      />
      {drawer && <UpdateDrawer {...drawer} onClose={() => setDrawer(null)} />}
    </>
  );
};
