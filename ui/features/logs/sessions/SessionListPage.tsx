import Account from "@mui/icons-material/AccountTreeOutlined";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useSeesAllUsers } from "../../../api/accounts/use-organization.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useLocalPaging } from "../../../components/data-table/url-state.ts";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { Money } from "../../../components/display/Money.tsx";
import { Tag } from "../../../components/display/Tag.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { PageHeader, Row } from "../../../components/layout.tsx";
import { withRight } from "../../../components/page/with-right.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { SessionDetail } from "./SessionDetail.tsx";
import { type SessionView, sessionList } from "./session-calls.ts";
import { figureOf } from "./session-figures.ts";

const NO_SESSIONS: readonly SessionView[] = [];

/** Runs of agents, and one of them where the address names it. */
const SessionListContent = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const scope = useSeesAllUsers() ? "all" : "self";
  const search = address.text("search");
  const opened = { id: address.text("session"), userId: Number(address.text("user")) || 0 };
  const { data, error, refetch } = useQuery({ ...sessionList(scope, search), enabled: opened.id === "" });
  const columns = useSessionColumns(scope === "all");
  const { shown, paging } = useLocalPaging(data ?? NO_SESSIONS, t("sessions.unit"), address);
  const model = useDataTable({ columns, rows: data && shown, rowId: keyOf, rowName: ({ id }) => id });
  if (opened.id !== "") return <SessionDetail scope={scope} session={opened} />;
  return (
    <>
      <PageHeader title={t("sessions.title")} purpose={t("sessions.purpose")} />
      <FilterBar
        search={{ value: search, placeholder: t("sessions.search") }}
        filters={[]}
        onChange={(key, value) => address.set({ [key]: value, p: undefined })}
        onClear={address.clear}
      />
      <DataTable
        model={model}
        error={error}
        onRetry={() => void refetch()}
        paging={paging}
        onOpen={({ id, user_id }) => address.set({ session: id, user: String(user_id) })}
        empty={<EmptyState icon={<Account />} title={t("sessions.empty.title")} body={t("sessions.empty.body")} />}
      />
    </>
  );
};

const keyOf = ({ user_id, id }: SessionView) => `${user_id} ${id}`;

function useSessionColumns(hasUsers: boolean): readonly Column<SessionView>[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const user: Column<SessionView> = {
      key: "user",
      head: t("sessions.columns.user"),
      width: 130,
      cell: ({ username }) => username,
    };
    const count = (key: "calls" | "failed" | "tools", width: number): Column<SessionView> => ({
      key,
      head: t(`sessions.columns.${key}`),
      width,
      align: "right",
      cell: (session) => <span className="num">{formatNumber(figureOf(session, key))}</span>,
    });
    return [
      {
        key: "id",
        head: t("sessions.columns.id"),
        isTitle: true,
        cell: ({ id, source }) => (
          <Row gap={2}>
            <span title={id} style={{ overflow: "hidden", textOverflow: "ellipsis" }}>
              {id}
            </span>
            <Tag>{t(`sessions.sources.${source}`, { defaultValue: source })}</Tag>
          </Row>
        ),
      },
      ...(hasUsers ? [user] : []),
      count("calls", 96),
      count("failed", 88),
      count("tools", 104),
      {
        key: "cost",
        head: t("sessions.columns.cost"),
        width: 104,
        align: "right",
        cell: ({ quota }) => <Money quota={quota} decimals={6} />,
      },
      {
        key: "duration",
        head: t("sessions.columns.duration"),
        width: 104,
        align: "right",
        cell: (session) => <span className="num">{formatDuration(figureOf(session, "duration"))}</span>,
      },
      {
        key: "last",
        head: t("sessions.columns.last"),
        width: 120,
        cell: ({ ended_at }) => <TimeAgo seconds={ended_at} />,
      },
    ];
  }, [t, hasUsers]);
}

export const SessionListPage = withRight("requests.read", SessionListContent);
