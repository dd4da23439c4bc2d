import { useState } from "react";
import { requestDownload } from "../../api/client.ts";
import { notifyError } from "../../components/notify.tsx";
import { openFile } from "../../components/save-file.ts";
import { type LogFilters, type LogScope, logExportPath, parametersOf } from "./log-queries.ts";

/** Downloads all rows that fit, as CSV. */
export function useExport(scope: LogScope, filters: LogFilters) {
  const [isRunning, setRunning] = useState(false);
  const start = async () => {
    setRunning(true);
    try {
      openFile(await requestDownload(logExportPath(scope), parametersOf(scope, filters)));
    } catch (error) {
      notifyError(error);
    } finally {
      setRunning(false);
    }
  };
  return { isRunning, start };
}
