import Download from "@mui/icons-material/FileDownloadOutlined";
import Button from "@mui/material/Button";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { sitePath } from "../../lib/base-path.ts";
import { notifyError } from "../feedback/notify.tsx";
import { usePhone } from "../layout.tsx";

type Props = Readonly<{
  /** Requests the URL from which the browser downloads the file. */
  request: () => Promise<string>;
}>;

/** Downloads all matching rows of a list as CSV. */
export const DownloadButton = ({ request }: Props) => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const [isRunning, setRunning] = useState(false);
  const start = async () => {
    setRunning(true);
    try {
      openFile(await request());
    } catch (error) {
      notifyError(error);
    } finally {
      setRunning(false);
    }
  };
  return (
    <Button
      aria-label={t("components.exportCsv")}
      startIcon={<Download />}
      loading={isRunning}
      loadingPosition="start"
      onClick={start}
    >
      {isPhone ? "CSV" : t("components.exportCsv")}
    </Button>
  );
};

/** Saves a file through the browser's downloads. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // Some browsers read the URL only after the click handler has returned.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Lets the browser download a file of this gateway straight to disk. The server names the file. */
export function openFile(address: string): void {
  const link = document.createElement("a");
  link.href = sitePath(address);
  link.download = "";
  link.click();
}
