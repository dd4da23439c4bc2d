import Check from "@mui/icons-material/CheckCircleOutlineOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { LogView } from "../../../../src/domain/logs/log-view.ts";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { StatusChip, ToneBadge } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { Section } from "../../../components/feedback/SideDrawer.tsx";
import { Row } from "../../../components/layout.tsx";
import { failureText } from "../../../state/failure-text.ts";
import { otherOf } from "../../logs/entries/log-entry.ts";
import { FormSkeleton } from "../cells/FormSkeleton.tsx";
import { channelErrors } from "./health-queries.ts";

/** The latest calls that failed on a channel, with the upstream's error. */
export const ErrorsTab = ({ channelId }: { channelId: number }) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const errors = useQuery(channelErrors(channelId));
  if (!errors.data) {
    return errors.isError ? <ErrorState error={errors.error} onRetry={() => errors.refetch()} /> : <FormSkeleton />;
  }
  const items = errors.data;
  if (items.length === 0) {
    return <EmptyState icon={<Check />} title={t("channels.errors.none")} body={t("channels.errors.noneBody")} />;
  }
  return (
    <Section title={t("channels.errors.title")} hint={t("channels.errors.hint", { shown: items.length })}>
      <Box
        component="ul"
        sx={{ m: 0, p: 0, listStyle: "none", border: "1px solid", borderColor: "line.main", borderRadius: 1 }}
      >
        {items.map((entry) => {
          const { status, message } = failureOf(entry, channelId);
          return (
            <Box
              component="li"
              key={entry.id}
              sx={{ p: 3, fontSize: 12.5, "& + &": { borderTop: "1px solid", borderColor: "line.faint" } }}
            >
              <Row gap={2} wrap>
                {status > 0 && <ToneBadge tone="bad">{status}</ToneBadge>}
                <Box component="span" className="mono" sx={{ overflowWrap: "anywhere" }}>
                  {entry.model_name}
                </Box>
                <Box sx={{ flex: 1 }} />
                <Box component="span" sx={{ color: "text.tertiary" }}>
                  <TimeAgo seconds={entry.created_at} />
                </Box>
              </Row>
              <Box sx={{ mt: 1, overflowWrap: "anywhere", maxHeight: 120, overflowY: "auto" }}>
                {message || t("channels.errors.noMessage")}
              </Box>
              <Row gap={1} sx={{ mt: 0.5, color: "text.tertiary" }}>
                <span>{entry.username}</span>
                {!entry.failed && (
                  <StatusChip tone="ok" quiet>
                    {t("channels.errors.rescued")}
                  </StatusChip>
                )}
                {entry.request_id !== "" && <CopyButton text={entry.request_id} label={t("channels.errors.copyId")} />}
              </Row>
            </Box>
          );
        })}
      </Box>
      <Box>
        <Button onClick={() => navigate({ to: "/log", search: () => ({ channel: channelId, type: "failed" }) })}>
          {t("channels.errors.open")}
        </Button>
      </Box>
    </Section>
  );
};

/** Why a logged call failed on a channel: the upstream's last error there, else the error returned to the client. */
export function failureOf(entry: Pick<LogView, "other">, channelId: number): { status: number; message: string } {
  const other = otherOf(entry);
  const attempt = other.admin_info?.attempts?.findLast((one) => one.channelId === channelId && one.error);
  return { status: attempt?.status || other.status || 0, message: failureText(attempt ?? {}) || failureText(other) };
}
