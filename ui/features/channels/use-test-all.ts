import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { notifyDone, notifyError, notifyInfo } from "../../components/notify.tsx";
import { cancelTests, readTestProgress, testAllChannels } from "./channel-calls.ts";
import { CHANNELS_KEY } from "./channel-queries.ts";

const PROGRESS_KEY = ["channel-test-progress"] as const;
const POLL_MS = 1500;

/** A test of all channels: how far it is, whoever started it; rows fill in while it runs. */
export function useTestAll() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const progress = useQuery({
    queryKey: PROGRESS_KEY,
    queryFn: readTestProgress,
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
      testAllChannels().then((started) => {
        client.setQueryData(PROGRESS_KEY, started);
        notifyInfo(t("channels.test.allStarted"));
      }, notifyError),
    cancel: () => cancelTests().catch(notifyError),
  };
}
