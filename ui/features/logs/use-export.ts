import { useState } from "react";
import { requestFile } from "../../api/client.ts";
import { notifyError } from "../../components/notify.tsx";
import { saveFile } from "../../components/save-file.ts";
import { type LogFilters, type LogScope, logExportPath, parametersOf } from "./log-queries.ts";

/** Downloads all rows that fit, as CSV. */
export function useExport(scope: LogScope, filters: LogFilters) {
  const [isRunning, setRunning] = useState(false);
  const start = async () => {
    setRunning(true);
    try {
      const day = new Date().toISOString().slice(0, 10);
      saveFile(await requestFile(logExportPath(scope), parametersOf(scope, filters)), `usage-log-${day}.csv`);
    } catch (error) {
      notifyError(error);
    } finally {
      setRunning(false);
    }
  };
  return { isRunning, start };
}
