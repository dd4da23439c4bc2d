import OpenInNew from "@mui/icons-material/OpenInNewOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { KeyValueTiles } from "../../../../components/display/KeyValue.tsx";
import { Money } from "../../../../components/display/Money.tsx";
import { SettingLink } from "../../../../components/feedback/SettingLink.tsx";
import { Col, Row } from "../../../../components/layout.tsx";
import { formatDuration } from "../../../../lib/format/duration.ts";
import { formatNumber } from "../../../../lib/format/number.ts";
import { exactTime } from "../../../../lib/format/time.ts";
import { loggedChat } from "../../detail/replay/logged-chat.ts";
import { ReplayTools } from "../../detail/replay/ReplayTools.tsx";
import { requestRows } from "../../entries/log-queries.ts";
import type { SessionScope } from "../session-calls.ts";
import type { CallLine } from "./timeline.ts";

/** What is known of a call of a session, and what can be done with it: open it, or send it again. */
export const CallDetail = ({ line, scope }: Readonly<{ line: CallLine; scope: SessionScope }>) => {
  const { t, i18n } = useTranslation();
  const { call, tools } = line;
  const { data, isPending } = useQuery(requestRows(scope, call.request_id));
  const entry = data?.items[0];
  return (
    <Col gap={3} sx={{ px: 4, pt: 2, pb: 4, bgcolor: "surface.sunken" }}>
      <KeyValueTiles
        items={[
          [t("sessions.columns.time"), exactTime(call.created_at, i18n.language)],
          [t("sessions.columns.duration"), formatDuration(call.elapsed_ms)],
          [t("sessions.columns.firstToken"), formatDuration(call.first_token_ms)],
          ...(tools ? [[t("sessions.timeline.tools"), formatDuration(tools.to - tools.from)] as const] : []),
          [t("sessions.columns.prompt"), formatNumber(call.prompt_tokens)],
          [t("sessions.columns.cached"), formatNumber(call.cached_tokens)],
          [t("sessions.columns.completion"), formatNumber(call.completion_tokens)],
          [t("sessions.columns.cost"), <Money key="cost" quota={call.quota} decimals={6} />],
          ...(call.tools.length > 0 ? [[t("sessions.columns.tools"), call.tools.join(", ")] as const] : []),
        ]}
      />
      <Row gap={2} wrap>
        <Button
          component={Link}
          to={`/log/${encodeURIComponent(call.request_id)}`}
          size="small"
          variant="text"
          startIcon={<OpenInNew />}
        >
          {t("sessions.timeline.open")}
        </Button>
        {isPending && <Skeleton variant="rounded" width={220} height={24} />}
        {entry && <ReplayTools entry={entry} />}
      </Row>
      {entry && !loggedChat(entry) && (
        <Row gap={2} wrap sx={{ fontSize: 12.5, color: "text.secondary" }}>
          <Box component="span">{t("sessions.timeline.notLogged")}</Box>
          <SettingLink tab="operation" field="LogChatContentEnabled" />
        </Row>
      )}
    </Col>
  );
};
