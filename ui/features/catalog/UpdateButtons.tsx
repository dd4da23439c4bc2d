import Download from "@mui/icons-material/CloudDownloadOutlined";
import Upload from "@mui/icons-material/UploadFileOutlined";
import Button from "@mui/material/Button";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { notifyError } from "../../components/notify.tsx";
import { previewUpdate, type UpdatePlan } from "./catalog-calls.ts";
import { UpdateDrawer } from "./UpdateDrawer.tsx";

type Preview = Readonly<{ plan: UpdatePlan; document?: string }>;

/** Updates from the address of the settings, or from a file; each is shown before it is applied. */
export const UpdateButtons = () => {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const [preview, setPreview] = useState<Preview | null>(null);
  const look = useMutation({
    mutationFn: async (file: File | null): Promise<Preview> => {
      const given = file ? { document: await file.text() } : {};
      return { ...given, plan: await previewUpdate(given) };
    },
    onSuccess: setPreview,
    onError: notifyError,
  });
  return (
    <>
      <Button
        startIcon={<Download />}
        loading={look.isPending && look.variables === null}
        onClick={() => look.mutate(null)}
      >
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
          if (file) look.mutate(file);
          // The same file can be chosen again.
          event.target.value = "";
        }}
      />
      {preview && <UpdateDrawer {...preview} onClose={() => setPreview(null)} />}
    </>
  );
};
