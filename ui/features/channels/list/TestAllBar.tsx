import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import LinearProgress from "@mui/material/LinearProgress";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { TestProgress } from "../../../../src/domain/channels/upstream/test-all.ts";
import { CHANNELS_KEY } from "../../../api/channels/channel-lists.ts";
import { replaceData } from "../../../api/replace-data.ts";
import { notifyDone, notifyError, notifyInfo } from "../../../components/feedback/notify.tsx";
import { Row } from "../../../components/layout.tsx";
import { formatNumber } from "../../../lib/format/number.ts";
import { cancelTests, readTestProgress, testAllChannels } from "../channel-calls.ts";

/** Progress of the test of all channels, and a button to stop it. */
export const TestAllBar = ({ progress, onCancel }: { progress: TestProgress; onCancel: () => void }) => {
  const { t } = useTranslation();
  const { done, total } = progress;
  const label = t("channels.test.allProgress", { done: formatNumber(done), total: formatNumber(total) });
  return (
    <Row
      gap={4}
      sx={{ mb: 3, px: 4, height: 44, border: "1px solid", borderColor: "line.main", borderRadius: 1, fontSize: 13 }}
    >
      <Box component="span" className="num" aria-live="polite" sx={{ whiteSpace: "nowrap" }}>
        {label}
      </Box>
      <LinearProgress
        variant="determinate"
        value={total === 0 ? 0 : (done / total) * 100}
        aria-label={label}
        sx={{ flex: 1, height: 4, borderRadius: 2 }}
      />
      <Button size="small" variant="text" onClick={onCancel}>
        {t("components.cancel")}
      </Button>
    </Row>
  );
};

const testProgress = queryOptions({ queryKey: ["channel-test-progress"], queryFn: readTestProgress });
const POLL_MS = 1500;

/** Progress of a test of all channels, whoever started it; rows update while it runs. */
export function useTestAll() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const progress = useQuery({
    ...testProgress,
    refetchInterval: ({ state }) => (state.data?.running ? POLL_MS : false),
  }).data;
  const isRunning = progress?.running ?? false;
  const done = progress?.done ?? 0;
  const wasRunning = useRef(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each finished test refreshes the rows
  useEffect(() => {
    if (isRunning || wasRunning.current) void client.invalidateQueries({ queryKey: CHANNELS_KEY });
    if (wasRunning.current && !isRunning) notifyDone(t("channels.test.allDone"));
    wasRunning.current = isRunning;
  }, [isRunning, done]);

  return {
    progress: isRunning ? progress : undefined,
    start: () =>
      testAllChannels().then(async (started) => {
        await replaceData(client, testProgress.queryKey, started);
        notifyInfo(t("channels.test.allStarted"));
      }, notifyError),
    cancel: () => cancelTests().catch(notifyError),
  };
}
