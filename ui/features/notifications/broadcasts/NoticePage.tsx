import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import LinearProgress from "@mui/material/LinearProgress";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { NOTICE_LIMITS } from "../../../../src/domain/notifications/notice-rules.ts";
import { readData } from "../../../api/client.ts";
import { broadcastApi } from "../../../api/groups.ts";
import { replaceData } from "../../../api/replace-data.ts";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { Col, Field, PageHeader, Panel, Row } from "../../../components/layout.tsx";
import { BroadcastHistory } from "./BroadcastHistory.tsx";

/** Broadcasts to all users who subscribed. */
export function NoticePage() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(broadcastProgress);
  const cancel = useMutation({
    mutationFn: cancelBroadcast,
    onSuccess: (progress) => replaceData(queries, broadcastProgress.queryKey, progress),
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
                  {t("notifications.broadcast.counts", { delivered: data.delivered, failed: data.failed })}
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
        <BroadcastHistory progress={data ? `${data.title} ${data.is_running} ${data.delivered} ${data.failed}` : ""} />
      </Col>
    </>
  );
}

const LINES = 6;

/** Composes a broadcast to all subscribed users. */
const BroadcastForm = ({ isBusy }: { isBusy: boolean }) => {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const queries = useQueryClient();
  const id = useId();
  const [event, setEvent] = useState<BroadcastEvent>("announcement");
  const [title, setTitle] = useState("");
  const [content, setContent] = useState("");
  const start = useMutation({
    mutationFn: () => startBroadcast({ event, title, content }),
    onSuccess: async (progress) => {
      await replaceData(queries, broadcastProgress.queryKey, progress);
      setTitle("");
      setContent("");
    },
    onError: notifyError,
  });
  const submit = async (submitted: FormEvent) => {
    submitted.preventDefault();
    const isSure = await confirm({
      title: t("notifications.broadcast.confirmTitle"),
      body: t("notifications.broadcast.confirmBody", { event: t(`notifications.events.${event}`), title }),
      action: t("notifications.broadcast.send"),
    });
    if (isSure) start.mutate();
  };
  return (
    <Panel title={t("notifications.broadcast.write")}>
      <form onSubmit={(submitted) => void submit(submitted)} noValidate>
        <Col gap={4} sx={{ maxWidth: 560 }}>
          <Field label={t("notifications.broadcast.kind")} hint={t("notifications.broadcast.kindHint")}>
            <Select
              fullWidth
              value={event}
              onChange={({ target }) => setEvent(target.value)}
              inputProps={{ "aria-label": t("notifications.broadcast.kind") }}
            >
              {BROADCAST_EVENTS.map((name) => (
                <MenuItem key={name} value={name}>
                  {t(`notifications.events.${name}`)}
                </MenuItem>
              ))}
            </Select>
          </Field>
          <LabelledInput
            label={t("notifications.broadcast.title")}
            name="title"
            maxCharacters={NOTICE_LIMITS.title}
            value={title}
            onChange={setTitle}
          />
          <Field label={t("notifications.broadcast.content")} htmlFor={`${id}content`}>
            <OutlinedInput
              id={`${id}content`}
              fullWidth
              multiline
              minRows={LINES}
              value={content}
              onChange={({ target }) => setContent(target.value)}
            />
          </Field>
          {(title.trim() !== "" || content.trim() !== "") && (
            <Box
              component="section"
              aria-label={t("notifications.broadcast.preview")}
              sx={{ p: 4, border: "1px dashed", borderColor: "line.strong", borderRadius: 1, overflowWrap: "anywhere" }}
            >
              <Box sx={{ mb: 2, fontSize: 12, color: "text.tertiary" }}>{t("notifications.broadcast.preview")}</Box>
              <Box sx={{ mb: 2, fontSize: 14, fontWeight: 600 }}>{title}</Box>
              <Box sx={{ fontSize: 13, lineHeight: "20px", whiteSpace: "pre-wrap" }}>{content}</Box>
            </Box>
          )}
          <Button
            type="submit"
            variant="contained"
            color="primary"
            loading={start.isPending}
            disabled={isBusy || title.trim() === "" || content.trim() === ""}
            sx={{ alignSelf: "flex-start" }}
          >
            {t("notifications.broadcast.send")}
          </Button>
        </Col>
      </form>
    </Panel>
  );
};

const BROADCAST_EVENTS = ["announcement", "price_change", "promotion", "contact"] as const;
type BroadcastEvent = (typeof BROADCAST_EVENTS)[number];

const ASK_EVERY_MS = 1000;

/** Progress of the last broadcast; polled while it is being sent. */
const broadcastProgress = queryOptions({
  queryKey: ["broadcast"],
  queryFn: ({ signal }) => readData(broadcastApi.get({ fetch: { signal } })),
  refetchInterval: (query) => (query.state.data?.is_running ? ASK_EVERY_MS : false),
});

const startBroadcast = (notice: Readonly<{ event: BroadcastEvent; title: string; content: string }>) =>
  readData(broadcastApi.post(notice));

const cancelBroadcast = () => readData(broadcastApi.delete());
