import Replay from "@mui/icons-material/ReplayOutlined";
import Button from "@mui/material/Button";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { KeyValueTiles } from "../../../components/display/KeyValue.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { Col, PageHeader, Panel, Row } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { SessionReplayDialog } from "../detail/replay/ReplayDialog.tsx";
import { SessionComparison } from "./compare/SessionComparison.tsx";
import { type SessionKey, type SessionScope, type SessionView, sessionDetail, sessionList } from "./session-calls.ts";
import { FIGURES, figureOf } from "./session-figures.ts";
import { FigureValue } from "./session-tables.tsx";
import { SessionTimeline } from "./timeline/SessionTimeline.tsx";

type SessionDetailProps = Readonly<{ scope: SessionScope; session: SessionKey }>;

/** One run of an agent: its figures and its timeline, or what differs from another run. */
export const SessionDetail = ({ scope, session }: SessionDetailProps) => {
  const { t } = useTranslation();
  const address = useAddress();
  const { data, error, refetch } = useQuery(sessionDetail(scope, session));
  const list = useQuery(sessionList(scope, "")).data ?? NO_SESSIONS;
  const [isReplaying, setReplaying] = useState(false);
  const withOther = address.text("with");
  const [otherUser = "", ...otherId] = withOther.split(" ");
  const otherKey = { id: otherId.join(" "), userId: Number(otherUser) || 0 };
  const other = useQuery({ ...sessionDetail(scope, otherKey), enabled: withOther !== "" });
  const choices = list.filter(({ id, user_id }) => id !== session.id || user_id !== data?.user_id);
  const failed = error ?? (withOther === "" ? null : other.error);
  return (
    <>
      <PageHeader
        title={t("sessions.one", { id: session.id })}
        purpose={data ? t("sessions.by", { user: data.username, key: data.token_name }) : " "}
        actions={
          <Row gap={2} wrap>
            <Select
              size="small"
              value={choices.some((each) => keyOf(each) === withOther) ? withOther : ""}
              displayEmpty
              onChange={({ target }) => address.set({ with: target.value || undefined })}
              inputProps={{ "aria-label": t("sessions.compare") }}
            >
              <MenuItem value="">{t("sessions.noCompare")}</MenuItem>
              {choices.map((each) => (
                <MenuItem key={keyOf(each)} value={keyOf(each)}>
                  {each.id}
                </MenuItem>
              ))}
            </Select>
            {scope === "all" && data && (
              <Button startIcon={<Replay />} onClick={() => setReplaying(true)}>
                {t("logs.replay.action")}
              </Button>
            )}
            <Button component={Link} to="/sessions">
              {t("sessions.back")}
            </Button>
          </Row>
        }
      />
      {failed && <ErrorState error={failed} onRetry={() => void (error ? refetch() : other.refetch())} />}
      {!failed && (!data || (withOther !== "" && !other.data)) && <Skeleton variant="rounded" height={240} />}
      {data && withOther !== "" && other.data && (
        <Col gap={4}>
          <SessionComparison scope={scope} session={data} other={other.data} />
        </Col>
      )}
      {data && withOther === "" && (
        <Col gap={4}>
          <Panel title={t("sessions.figures")}>
            <KeyValueTiles
              items={FIGURES.map((figure) => [
                t(`sessions.columns.${figure}`),
                <FigureValue key={figure} figure={figure} value={figureOf(data, figure)} />,
              ])}
            />
          </Panel>
          <Panel title={t("sessions.timeline.title")} hint={t("sessions.timeline.hint")}>
            <SessionTimeline detail={data} scope={scope} />
          </Panel>
        </Col>
      )}
      {data && isReplaying && (
        <SessionReplayDialog
          calls={{
            name: t("sessions.one", { id: data.id }).slice(0, MOST_NAME),
            maxCalls: MOST_REPLAYED,
            filter: {
              ...{ start: data.started_at, end: data.ended_at + 1 },
              ...{ session: data.id, username: data.username },
            },
          }}
          onClose={() => setReplaying(false)}
        />
      )}
    </>
  );
};

const NO_SESSIONS: readonly SessionView[] = [];
const keyOf = ({ user_id, id }: SessionView) => `${user_id} ${id}`;

/** The server's limits for a set. */
const [MOST_NAME, MOST_REPLAYED] = [100, 2000];
