import Forum from "@mui/icons-material/ForumOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useSetAtom } from "jotai";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { FailureCause } from "../../../../src/domain/logs/failures/failure-rules.ts";
import { useSeesAllUsers } from "../../../api/accounts/use-organization.ts";
import { CHANNELS_KEY } from "../../../api/channels/channel-lists.ts";
import { channelStatus, enableChannel } from "../../../api/channels/channel-status.ts";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import { failureText } from "../../../state/failure-text.ts";
import { useSession } from "../../../state/session.ts";
import { hasRight, hasRootRight } from "../../../state/stored-user.ts";
import { chatToOpenAtom, newChat } from "../../playground/chat/chat.ts";
import { type FailurePlace, type FailureViewer, fixOf, needsAdmin } from "../entries/failure.ts";
import { groupOf, type LogEntry, otherOf } from "../entries/log-entry.ts";
import { loggedChat } from "./replay/logged-chat.ts";

/** Who looks at failures: what they may put right depends on it. */
export function useFailureViewer(): FailureViewer {
  const { user } = useSession();
  const isAdmin = useSeesAllUsers();
  return { userId: user?.id ?? 0, isAdmin, maySetPrices: hasRootRight(user, "settings:write") };
}

type FailurePartProps = Readonly<{ entry: LogEntry; cause: FailureCause; isVisitor: boolean }>;

/** Why a call failed: its kind, what to do, each provider's own words, and what the client got. */
export const FailurePart = ({ entry, cause, isVisitor }: FailurePartProps) => {
  const { t } = useTranslation();
  const viewer = useFailureViewer();
  const other = otherOf(entry);
  const failed = (other.admin_info?.attempts ?? []).filter(({ isCancelled, error }) => !isCancelled && error);
  const shown = failureText(other) || entry.content;
  const place: FailurePlace = {
    ...{ class: cause.class, channelId: entry.channel, modelName: entry.model_name },
    ...{ tokenName: entry.token_name, userId: entry.user_id },
  };
  return (
    <Box
      component="section"
      aria-label={t(`failures.classes.${cause.class}.title`)}
      sx={{ mb: 5, p: 4, border: "1px solid", borderColor: "tone.bad.line", borderRadius: 1, bgcolor: "surface.paper" }}
    >
      <Row gap={2.5} wrap>
        {other.status !== undefined && (
          <StatusChip tone="bad" dot={false}>
            {other.status}
          </StatusChip>
        )}
        <Box component="h3" sx={{ m: 0, fontSize: 14, lineHeight: "22px", fontWeight: 620, color: "tone.bad.text" }}>
          {t(`failures.classes.${cause.class}.title`)}
        </Box>
      </Row>
      <Box sx={{ mt: 1, fontSize: 13, color: "text.secondary" }}>
        {t(needsAdmin(cause.class, viewer) ? "failures.ask" : `failures.classes.${cause.class}.next`)}
      </Box>
      <Col gap={2} sx={{ mt: 3 }}>
        {failed.map((attempt) => (
          <Words
            key={attempt.startMs}
            who={attempt.channelName || `#${attempt.channelId}`}
            status={attempt.status}
            code={attempt.code}
            text={failureText(attempt)}
          />
        ))}
        {shown && <Words who={t("failures.client")} status={other.status} text={shown} />}
      </Col>
      {!isVisitor && <Actions entry={entry} place={place} viewer={viewer} />}
    </Box>
  );
};

type WordsProps = Readonly<{ who: string; status?: number | undefined; code?: string | undefined; text: string }>;

/** What one side answered, in its own words. */
const Words = ({ who, status, code, text }: WordsProps) => (
  <Box sx={{ fontSize: 12.5, lineHeight: "19px" }}>
    <Row gap={1.5} wrap sx={{ color: "text.secondary", minHeight: 24 }}>
      <Box component="span" sx={{ fontWeight: 600 }}>
        {who}
      </Box>
      {Boolean(status) && <span className="num">{status}</span>}
      {code && <code>{code}</code>}
      <CopyButton text={text} />
    </Row>
    <Box sx={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap", maxHeight: 160, overflowY: "auto" }}>{text}</Box>
  </Box>
);

type ActionsProps = Readonly<{ entry: LogEntry; place: FailurePlace; viewer: FailureViewer }>;

/** Puts the cause right, and tries the model again where the chat itself cannot be repeated. */
const Actions = ({ entry, place, viewer }: ActionsProps) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const openChat = useSetAtom(chatToOpenAtom);
  const fix = fixOf(place, viewer);
  const model = entry.model_name;
  const canRetry = model !== "" && loggedChat(entry) === null;
  const startChat = () => {
    const chat = newChat();
    openChat({ ...chat, title: model, settings: { ...chat.settings, models: [model], group: groupOf(entry) } });
  };
  const isOff = useIsOff(place.channelId);
  if (!fix && !canRetry && !isOff) return null;
  return (
    <Row gap={2} wrap sx={{ mt: 3 }}>
      {isOff && <EnableButton channelId={place.channelId} />}
      {fix && (
        <Button
          size="small"
          {...(!isOff && { variant: "contained", color: "primary" })}
          onClick={() => navigate({ to: fix.to, search: () => fix.search ?? {} })}
        >
          {t(`failures.fixes.${fix.name}`)}
        </Button>
      )}
      {canRetry && (
        <Button component={Link} to="/playground" size="small" variant="text" startIcon={<Forum />} onClick={startChat}>
          {t("failures.retry")}
        </Button>
      )}
    </Row>
  );
};

/** Whether the viewer may enable a channel that takes no calls. */
function useIsOff(channelId: number): boolean {
  const { user } = useSession();
  const isKnownChannel = channelId > 0 && hasRight(user, "channels:write");
  const { data } = useQuery({ ...channelStatus(channelId), enabled: isKnownChannel });
  return data?.isOn === false;
}

const EnableButton = ({ channelId }: Readonly<{ channelId: number }>) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const enable = async () => {
    setBusy(true);
    try {
      await enableChannel(channelId);
      notifyDone(t("failures.done.enabled"));
    } catch (error) {
      notifyError(error);
    }
    await client.invalidateQueries({ queryKey: CHANNELS_KEY });
    setBusy(false);
  };
  return (
    <Button size="small" variant="contained" color="primary" loading={isBusy} onClick={() => void enable()}>
      {t("failures.enable")}
    </Button>
  );
};
