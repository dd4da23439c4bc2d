import Download from "@mui/icons-material/FileDownloadOutlined";
import Button from "@mui/material/Button";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { notifyError } from "./notify.tsx";
import { openFile } from "./save-file.ts";
import { usePhone } from "./usePhone.ts";

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
