import ArrowBack from "@mui/icons-material/ArrowBack";
import Inventory from "@mui/icons-material/Inventory2Outlined";
import Button from "@mui/material/Button";
import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useActing, useSeesAllUsers } from "../../../api/accounts/use-organization.ts";
import { readEnvelope, requestDownload } from "../../../api/client.ts";
import { logArchiveApi } from "../../../api/groups.ts";
import { ColumnTools } from "../../../components/data-table/ColumnTools.tsx";
import type { Column } from "../../../components/data-table/column.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { DownloadButton } from "../../../components/display/DownloadButton.tsx";
import { Tag } from "../../../components/display/Tag.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { SettingLink } from "../../../components/feedback/SettingLink.tsx";
import { PageHeader, Row } from "../../../components/layout.tsx";
import { withRight } from "../../../components/page/with-right.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { formatFixed, formatNumber } from "../../../lib/format/number.ts";
import { useSession } from "../../../state/session.ts";
import { isSuperAdmin } from "../../../state/stored-user.ts";
import { LogDetail, UserDialog } from "../detail/LogDetail.tsx";
import { useLogColumns } from "../detail/log-columns.tsx";
import { LogCard } from "../entries/log-cells.tsx";
import { type LogEntry, useEntryName } from "../entries/log-entry.ts";
import { logFiltersOf } from "../entries/log-queries.ts";
import { LogFilterBar } from "../overview/LogFilterBar.tsx";
import type { TimeRange } from "../time-range.ts";
import { archiveExport, archiveMonths, archiveParameters, archiveRows, type ListedMonth } from "./archive-queries.ts";

/** The rows of an archived month, as the usage log shows them. */
export const ArchivedRows = ({ month }: { month: string }) => {
  const { t } = useTranslation();
  const address = useAddress();
  const isForAdmin = useSeesAllUsers();
  const { may } = useActing();
  const scope = isForAdmin ? "all" : "self";
  const [userId, setUserId] = useState<number | null>(null);
  const filters = logFiltersOf(address, monthRange(month));
  const list = useInfiniteQuery(archiveRows(scope, month, filters));
  const nameOf = useEntryName();
  const rows = list.data?.pages.flatMap(({ items }) => items);
  const model = useDataTable({
    ...{ columns: useLogColumns(isForAdmin, setUserId), rows, rowId: idOf, rowName: nameOf },
    ...{ detail: detailOf, columnsKey: "logs-table-columns" },
  });
  return (
    <>
      <PageHeader
        title={t("logs.archive.monthTitle", { month })}
        purpose={t("logs.archive.monthPurpose")}
        actions={
          <>
            <Button variant="text" startIcon={<ArrowBack />} onClick={address.clear}>
              {t("logs.archive.back")}
            </Button>
            {may("exports.download") && (
              <DownloadButton
                request={() => requestDownload(archiveExport(scope), archiveParameters(scope, month, filters))}
              />
            )}
          </>
        }
      />
      <LogFilterBar address={address} isAdmin={isForAdmin} filters={filters} tools={<ColumnTools model={model} />} />
      <DataTable
        model={model}
        isRefreshing={list.isFetching}
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={
          <EmptyState
            icon={<Inventory />}
            title={t(list.hasNextPage ? "logs.archive.searchingTitle" : "logs.empty.filteredTitle")}
            body={t(list.hasNextPage ? "logs.archive.searchingBody" : "logs.empty.filteredBody")}
          />
        }
        card={(entry) => <LogCard entry={entry} isAdmin={isForAdmin} />}
      />
      {list.hasNextPage && (
        <Row sx={{ justifyContent: "center", mt: 4 }}>
          <Button loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t("logs.archive.more")}
          </Button>
        </Row>
      )}
      {userId !== null && <UserDialog id={userId} onClose={() => setUserId(null)} />}
    </>
  );
};

const idOf = (entry: LogEntry): number => entry.id;
const detailOf = (entry: LogEntry) => <LogDetail entry={entry} />;

/** All of a month (UTC); a month that is malformed has no rows, as the server says. */
function monthRange(month: string): TimeRange {
  const start = Date.parse(`${month}-01T00:00:00Z`);
  const date = new Date(Number.isNaN(start) ? 0 : start);
  const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  return { name: null, start: date.getTime() / 1000, end: end / 1000 - 1, open: false };
}

/** Months of the log that are in files, and the rows of one where the address names it. */
const ArchiveContent = () => {
  const address = useAddress();
  const month = address.text("month");
  return month === "" ? (
    <MonthList onOpen={(opened) => address.set({ month: opened })} />
  ) : (
    <ArchivedRows month={month} />
  );
};

const MonthList = ({ onOpen }: { onOpen: (month: string) => void }) => {
  const { t } = useTranslation();
  const { user } = useSession();
  const isForAdmin = useSeesAllUsers();
  const list = useQuery(archiveMonths(isForAdmin ? "all" : "self"));
  const test = useMutation({
    mutationFn: async () => (await readEnvelope(logArchiveApi.test.post())).message,
    onSuccess: notifyDone,
    onError: notifyError,
  });
  const model = useDataTable({
    columns: useMonthColumns(isForAdmin),
    rows: list.data,
    rowId: monthOf,
    rowName: monthOf,
  });
  return (
    <>
      <PageHeader
        title={t("logs.archive.title")}
        purpose={t(isForAdmin ? "logs.archive.purpose" : "logs.archive.ownPurpose")}
        actions={
          isSuperAdmin(user) && (
            <Button loading={test.isPending} onClick={() => test.mutate()}>
              {t("logs.archive.test")}
            </Button>
          )
        }
      />
      <DataTable
        model={model}
        error={list.error}
        onRetry={() => void list.refetch()}
        onOpen={({ month }) => onOpen(month)}
        empty={
          <EmptyState
            icon={<Inventory />}
            title={t("logs.archive.empty.title")}
            body={t(isForAdmin ? "logs.archive.empty.body" : "logs.archive.empty.ownBody")}
            action={<SettingLink tab="operation" field="LogRetention" />}
          />
        }
      />
    </>
  );
};

const monthOf = ({ month }: ListedMonth): string => month;
const MEGABYTE = 1_000_000;

function useMonthColumns(isForAdmin: boolean): readonly Column<ListedMonth>[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const figure = (key: "rows" | "files", width: number): Column<ListedMonth> => ({
      key,
      head: t(`logs.archive.columns.${key}`),
      width,
      align: "right",
      cell: (month) => <span className="num">{formatNumber(month[key] ?? 0)}</span>,
    });
    const month: Column<ListedMonth> = {
      key: "month",
      head: t("logs.archive.columns.month"),
      isTitle: true,
      cell: ({ month, is_moving }) => (
        <Row gap={2}>
          <span className="num">{month}</span>
          {is_moving && <Tag>{t("logs.archive.moving")}</Tag>}
        </Row>
      ),
    };
    if (!isForAdmin) return [month];
    return [
      month,
      figure("rows", 120),
      {
        key: "bytes",
        head: t("logs.archive.columns.bytes"),
        width: 110,
        align: "right",
        cell: ({ bytes = 0 }) => <span className="num">{formatFixed(bytes / MEGABYTE, 1)} MB</span>,
      },
      figure("files", 90),
      {
        key: "places",
        head: t("logs.archive.columns.place"),
        width: 160,
        cell: ({ places = [] }) => places.map((place) => t(`logs.archive.places.${place}`)).join(", "),
      },
      {
        key: "archived",
        head: t("logs.archive.columns.archived"),
        width: 150,
        cell: ({ archived_at = 0 }) => <TimeAgo seconds={archived_at} />,
      },
    ];
  }, [t, isForAdmin]);
}

export const ArchivePage = withRight("requests.read", ArchiveContent);
