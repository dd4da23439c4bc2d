import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Panel, Row } from "../../../components/layout.tsx";
import { Entry } from "../../../components/page/Entry.tsx";
import { accessTokens } from "./access-token-calls.ts";
import { endOtherSessions, endSession, ownSessions } from "./security-calls.ts";

/** The user's sessions, each with a sign-out button. */
export const SessionsPanel = () => {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(ownSessions);
  const end = useMutation({
    mutationFn: async (id: string | null) => {
      await (id === null ? endOtherSessions() : endSession(id));
    },
    onSuccess: () => notifyDone(t("security.sessions.ended")),
    onError: notifyError,
    onSettled: () => Promise.all([queries.invalidateQueries(ownSessions), queries.invalidateQueries(accessTokens)]),
  });
  const { data: tokens = [] } = useQuery(accessTokens);
  const others = data?.filter((session) => !session.is_current).length ?? 0;
  const endAll = async () => {
    const isSure = await confirm({
      title: t("security.sessions.endAllTitle"),
      body: t("security.sessions.endAllBody", { count: others }),
      action: t("security.sessions.endAll"),
      isDangerous: true,
    });
    if (isSure) end.mutate(null);
  };
  return (
    <Panel
      title={t("security.sessions.title")}
      action={
        others + tokens.length > 0 && (
          <Button size="small" color="error" onClick={() => void endAll()}>
            {t("security.sessions.endAll")}
          </Button>
        )
      }
    >
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton variant="rounded" height={40} />}
      <Box>
        {data?.map((session) => (
          <Entry
            key={session.id}
            title={
              <Row gap={2} wrap>
                {deviceName(session.user_agent) || t("security.sessions.unknown")}
                {session.is_current && (
                  <StatusChip tone="ok" dot={false}>
                    {t("security.sessions.current")}
                  </StatusChip>
                )}
              </Row>
            }
            action={
              !session.is_current && (
                <Button
                  size="small"
                  loading={end.variables === session.id && end.isPending}
                  onClick={() => end.mutate(session.id)}
                >
                  {t("security.sessions.end")}
                </Button>
              )
            }
          >
            {session.ip && `${session.ip} · `}
            {t("security.sessions.seen")} <TimeAgo seconds={session.last_seen_at} />
          </Entry>
        ))}
      </Box>
    </Panel>
  );
};

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|Opera)\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\b(?:Headless)?Chrome\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** "Firefox, Windows" from a browser's User-Agent; a program's User-Agent, truncated; "" without one. */
export function deviceName(userAgent: string): string {
  const nameIn = (list: typeof BROWSERS) => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const parts = [nameIn(BROWSERS), nameIn(SYSTEMS)].filter(Boolean);
  return parts.length > 0 ? parts.join(", ") : userAgent.slice(0, 40);
}
