import ArrowBack from "@mui/icons-material/ArrowBack";
import Inventory from "@mui/icons-material/Inventory2Outlined";
import Button from "@mui/material/Button";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useActing, useSeesAllUsers } from "../../../api/accounts/use-organization.ts";
import { requestDownload } from "../../../api/client.ts";
import { ColumnTools } from "../../../components/data-table/ColumnTools.tsx";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { DownloadButton } from "../../../components/display/DownloadButton.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { PageHeader, Row } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { LogDetail, UserDialog } from "../detail/LogDetail.tsx";
import { useLogColumns } from "../detail/log-columns.tsx";
import { LogCard } from "../entries/log-cells.tsx";
import { type LogEntry, useEntryName } from "../entries/log-entry.ts";
import { logFiltersOf } from "../entries/log-queries.ts";
import { LogFilterBar } from "../overview/LogFilterBar.tsx";
import type { TimeRange } from "../time-range.ts";
import { archiveExport, archiveParameters, archiveRows } from "./archive-queries.ts";

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
