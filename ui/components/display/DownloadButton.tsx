import Download from "@mui/icons-material/FileDownloadOutlined";
import Button from "@mui/material/Button";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { notifyError } from "../feedback/notify.tsx";
import { usePhone } from "../layout.tsx";

type Props = Readonly<{
  /** Asks for the address at which the browser fetches the file by itself. */
  request: () => Promise<string>;
}>;

/** Downloads all rows of a list that fit, as CSV. */
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
    <Button startIcon={<Download />} loading={isRunning} loadingPosition="start" onClick={start}>
      {isPhone ? "CSV" : t("components.download")}
    </Button>
  );
};

/** Hands a file to the browser's downloads. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // Some browsers read the address only after the click has returned.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Lets the browser fetch a file of this gateway by itself, from the server to the disk. The server names it. */
export function openFile(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}
