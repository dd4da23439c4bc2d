import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import LinearProgress from "@mui/material/LinearProgress";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../components/ErrorState.tsx";
import { Col, Panel, Row } from "../components/layout.tsx";
import { notifyError } from "../components/notify.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { BroadcastForm } from "../features/notifications/BroadcastForm.tsx";
import { broadcastProgress, cancelBroadcast } from "../features/notifications/broadcast-calls.ts";

/** Notices to everybody who wants to hear of them. */
export function NoticePage() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(broadcastProgress);
  const cancel = useMutation({
    mutationFn: cancelBroadcast,
    onSuccess: (progress) => queries.setQueryData(broadcastProgress.queryKey, progress),
    onError: notifyError,
  });
  return (
    <>
      <PageHeader title={t("notifications.broadcast.page")} purpose={t("notifications.broadcast.purpose")} />
      <Col gap={4} sx={{ maxWidth: 880 }}>
        {error && <ErrorState error={error} onRetry={() => void refetch()} />}
        {data && data.title !== "" && (
          <Panel title={data.title}>
            {data.is_running && <LinearProgress aria-label={t("notifications.broadcast.running")} sx={{ mb: 3 }} />}
            <Row gap={4} wrap>
              <Box role="status" sx={{ flex: 1, fontSize: 13 }}>
                {t(data.is_running ? "notifications.broadcast.running" : "notifications.broadcast.over")}{" "}
                <span className="num">
                  {t("notifications.broadcast.counts", { told: data.told, failed: data.failed })}
                </span>
              </Box>
              {data.is_running && (
                <Button size="small" color="error" loading={cancel.isPending} onClick={() => cancel.mutate()}>
                  {t("notifications.broadcast.cancel")}
                </Button>
              )}
            </Row>
          </Panel>
        )}
        <BroadcastForm isBusy={data?.is_running ?? false} />
      </Col>
    </>
  );
}
