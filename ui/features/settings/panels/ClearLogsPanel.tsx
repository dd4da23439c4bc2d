import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import LinearProgress from "@mui/material/LinearProgress";
import { useQueryClient } from "@tanstack/react-query";
import dayjs from "dayjs";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { postForLines } from "../../../api/client.ts";
import { logApi } from "../../../api/groups.ts";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { notifyDone, notifyError, notifyInfo } from "../../../components/feedback/notify.tsx";
import { DateTimeInput } from "../../../components/inputs/date-time/DateTimeInput.tsx";
import { Col, Field, Row } from "../../../components/layout.tsx";

const aMonthAgo = () => dayjs().subtract(1, "month").unix();

/** Deletes old rows of the usage log; shows progress and can be stopped. */
export const ClearLogsPanel = () => {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const client = useQueryClient();
  const [before, setBefore] = useState<number | null | undefined>(aMonthAgo);
  const [deleted, setDeleted] = useState<number | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const clear = async () => {
    if (!before) {
      notifyError(t("settings.clearLogs.chooseTime"));
      return;
    }
    const until = dayjs.unix(before).format("YYYY-MM-DD HH:mm");
    const question = {
      title: t("settings.clearLogs.title", { until }),
      body: t("settings.clearLogs.body"),
      action: t("settings.clearLogs.action"),
      isDangerous: true,
    };
    if (!(await confirm(question))) return;
    const control = new AbortController();
    running.current = control;
    let count = 0;
    setDeleted(0);
    try {
      await clearLogs(
        before,
        (sum) => {
          count = sum;
          setDeleted(sum);
        },
        control.signal,
      );
      notifyDone(t("settings.clearLogs.done", { count }));
    } catch (error) {
      if (control.signal.aborted) notifyInfo(t("settings.clearLogs.stopped", { count }));
      else notifyError(error);
    }
    running.current = null;
    setDeleted(null);
    void client.invalidateQueries({ queryKey: ["logs"] });
  };
  return (
    <Box sx={{ mt: 6, pt: 4, borderTop: "1px dashed", borderColor: "line.main" }}>
      <Field label={t("settings.clearLogs.label")} hint={t("settings.clearLogs.hint")}>
        <Row gap={2} wrap sx={{ rowGap: 2 }}>
          <Box sx={{ width: 220 }}>
            <DateTimeInput
              label={t("settings.clearLogs.label")}
              value={before ?? null}
              onChange={setBefore}
              hasError={before === undefined}
            />
          </Box>
          <Button color="error" disabled={deleted !== null} onClick={() => void clear()}>
            {t("settings.clearLogs.action")}
          </Button>
        </Row>
      </Field>
      {deleted !== null && (
        <Col gap={2} sx={{ mt: 3, maxWidth: 420 }}>
          <LinearProgress aria-label={t("settings.clearLogs.running", { count: deleted })} />
          <Row sx={{ justifyContent: "space-between" }}>
            <Box className="num" role="status" sx={{ fontSize: 12.5 }}>
              {t("settings.clearLogs.running", { count: deleted })}
            </Box>
            <Button size="small" variant="text" onClick={() => running.current?.abort()}>
              {t("settings.clearLogs.stop")}
            </Button>
          </Row>
        </Col>
      )}
    </Box>
  );
};

/** Deletes log rows older than `before` (epoch seconds) and reports how many are deleted so far. */
const clearLogs = (before: number, onDeleted: (count: number) => void, signal: AbortSignal) =>
  postForLines(logApi.clear, { target_timestamp: before }, ({ deleted }) => onDeleted(deleted), signal);
