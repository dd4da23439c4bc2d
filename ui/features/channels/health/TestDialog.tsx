import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import CircularProgress from "@mui/material/CircularProgress";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { CHANNELS_KEY } from "../../../api/channels/channel-lists.ts";
import { StatusChip, ToneBadge } from "../../../components/display/StatusChip.tsx";
import { ViewDialog } from "../../../components/feedback/FormDialog.tsx";
import { SuggestedInput } from "../../../components/inputs/NameListInput.tsx";
import { Field, Row } from "../../../components/layout.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { responseTone } from "../cells/status-cells.tsx";
import { type Channel, splitList } from "../channel.ts";
import { type TestOutcome, testChannel } from "../channel-calls.ts";

/** Sends a short request for a chosen model through the channel and shows the result. */
export const TestDialog = ({ channel, onClose }: { channel: Channel; onClose: () => void }) => {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const models = splitList(channel.models);
  const [model, setModel] = useState(channel.test_model || models[0] || "");
  const [outcome, setOutcome] = useState<TestOutcome | "running" | null>(null);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);

  const run = async () => {
    const controller = new AbortController();
    abort.current = controller;
    setOutcome("running");
    try {
      setOutcome(await testChannel(channel.id, model, controller.signal));
    } catch (error) {
      if (controller.signal.aborted) return;
      setOutcome({ success: false, message: error instanceof Error ? error.message : String(error), time: 0 });
    }
    void client.invalidateQueries({ queryKey: CHANNELS_KEY });
  };
  return (
    <ViewDialog
      title={t("channels.test.title", { name: channel.name })}
      width="xs"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("components.close")}</Button>
          <Button variant="contained" color="primary" disabled={outcome === "running"} onClick={run}>
            {outcome === null || outcome === "running" ? t("channels.test.run") : t("channels.test.again")}
          </Button>
        </>
      }
    >
      <Box sx={{ fontSize: 13, color: "text.secondary", mb: 4 }}>{t("channels.test.purpose")}</Box>
      <Field label={t("channels.test.model")} htmlFor={`${id}model`}>
        <SuggestedInput id={`${id}model`} options={models} value={model} onChange={setModel} />
      </Field>
      <Box aria-live="polite" sx={{ minHeight: 56, pt: 4, fontSize: 13 }}>
        <Outcome outcome={outcome} />
        {outcome !== null && outcome !== "running" && outcome.isAssumed && (
          <Box sx={{ mt: 2, color: "text.secondary" }}>{t("channels.test.assumed")}</Box>
        )}
      </Box>
    </ViewDialog>
  );
};

const Outcome = ({ outcome }: { outcome: TestOutcome | "running" | null }) => {
  const { t } = useTranslation();
  if (outcome === null) return null;
  if (outcome === "running") {
    return (
      <Row gap={3} sx={{ color: "text.secondary" }}>
        <CircularProgress size={16} aria-hidden />
        {t("channels.test.running")}
      </Row>
    );
  }
  if (!outcome.success) {
    return (
      <Box>
        <StatusChip tone="bad">{t("channels.test.failed")}</StatusChip>
        <Box sx={{ mt: 2, overflowWrap: "anywhere", maxHeight: 160, overflowY: "auto" }}>{outcome.message}</Box>
      </Box>
    );
  }
  const tone = responseTone(outcome.time * 1000);
  return (
    <Row gap={3}>
      <ToneBadge tone={tone === "untested" ? "ok" : tone}>{formatDuration(outcome.time * 1000)}</ToneBadge>
      {t("channels.test.success", { time: formatDuration(outcome.time * 1000) })}
    </Row>
  );
};
