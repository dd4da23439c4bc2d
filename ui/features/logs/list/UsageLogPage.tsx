import Inventory from "@mui/icons-material/Inventory2Outlined";
import ReceiptLong from "@mui/icons-material/ReceiptLongOutlined";
import Sync from "@mui/icons-material/SyncOutlined";
import Button from "@mui/material/Button";
import FormControlLabel from "@mui/material/FormControlLabel";
import IconButton from "@mui/material/IconButton";
import Switch from "@mui/material/Switch";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useActing, useSeesAllUsers } from "../../../api/accounts/use-organization.ts";
import { requestDownload } from "../../../api/client.ts";
import { ColumnTools } from "../../../components/data-table/ColumnTools.tsx";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { DownloadButton } from "../../../components/display/DownloadButton.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { SavedViews } from "../../../components/inputs/SavedViews.tsx";
import { PageHeader } from "../../../components/layout.tsx";
import { withRight } from "../../../components/page/with-right.tsx";
import { Tip } from "../../../components/tip/Tip.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { archiveMonths } from "../archive/archive-queries.ts";
import { LogDetail, UserDialog } from "../detail/LogDetail.tsx";
import { useLogColumns } from "../detail/log-columns.tsx";
import { LogCard } from "../entries/log-cells.tsx";
import { type LogEntry, useEntryName } from "../entries/log-entry.ts";
import { isNarrowed, logExport, logFiltersOf, parametersOf } from "../entries/log-queries.ts";
import { LogFilterBar } from "../overview/LogFilterBar.tsx";
import { Overview } from "../overview/Overview.tsx";
import { rangeOf, useNow } from "../time-range.ts";
import { idOf, useLogPlace, useLogRows } from "./use-log-rows.ts";

/** A month is archived at the most often once a day. */
const ARCHIVE_STALE_MS = 3_600_000;

/** The usage log: the user's own calls; all calls for administrators. */
const UsageLogContent = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const isForAdmin = useSeesAllUsers();
  const { may } = useActing();
  const scope = isForAdmin ? "all" : "self";
  const [isFollowing, setFollowing] = useState(false);
  const place = useLogPlace();
  const isAtTop = useRef(true);
  const [now, renew] = useNow({ isFollowing, initial: place.left?.now, mayAdvance: () => isAtTop.current });
  const [userId, setUserId] = useState<number | null>(null);
  const range = rangeOf({ range: address.text("range"), from: address.number("from"), to: address.number("to") }, now);
  const filters = logFiltersOf(address, range);
  const list = useLogRows({
    address,
    scope,
    filters,
    isFollowing,
    startAt: place.left?.first ?? 0,
    onMove(first) {
      isAtTop.current = first === 0;
      place.save({ now, first });
    },
  });
  const archive = useQuery({ ...archiveMonths("self"), enabled: !isForAdmin, staleTime: ARCHIVE_STALE_MS });
  const hasArchive = isForAdmin || (archive.data?.length ?? 0) > 0;
  const showNewest = () => {
    window.scrollTo(0, 0);
    renew();
  };
  const nameOf = useEntryName();
  const columns = useLogColumns(isForAdmin, setUserId);
  const model = useDataTable({
    columns,
    rows: list.rows,
    rowId: idOf,
    rowName: nameOf,
    detail: detailOf,
    columnsKey: "logs-table-columns",
  });
  return (
    <>
      <PageHeader
        title={t("logs.title")}
        purpose={t("logs.purpose")}
        actions={
          <>
            <FormControlLabel
              label={t("logs.follow")}
              control={<Switch checked={isFollowing} onChange={(event) => setFollowing(event.target.checked)} />}
              sx={{
                m: 0,
                mr: 2,
                gap: 2,
                "& .MuiFormControlLabel-label": { fontSize: 13, color: "text.secondary", whiteSpace: "nowrap" },
              }}
            />
            <Tip title={t("logs.refresh")}>
              <IconButton aria-label={t("logs.refresh")} onClick={showNewest}>
                <Sync />
              </IconButton>
            </Tip>
            {hasArchive && (
              <Tip title={t("logs.archive.title")}>
                <IconButton component={Link} to="/log/archive" aria-label={t("logs.archive.title")}>
                  <Inventory />
                </IconButton>
              </Tip>
            )}
            {may("exports.download") && (
              <DownloadButton request={() => requestDownload(logExport(scope), parametersOf(scope, filters))} />
            )}
          </>
        }
      />
      <Overview
        scope={scope}
        hasFigures={may("usage.read")}
        filters={filters}
        range={range}
        now={now}
        onNamed={(name) => {
          renew();
          address.set({ range: name, from: undefined, to: undefined, p: undefined });
        }}
        onCustom={(from, to) => address.set({ from, to, range: undefined, p: undefined })}
      />
      <LogFilterBar
        address={address}
        isAdmin={isForAdmin}
        filters={filters}
        tools={
          <>
            <SavedViews list="logs" />
            <ColumnTools model={model} />
          </>
        }
      />
      <DataTable
        model={model}
        isRefreshing={list.isRefreshing && !isFollowing}
        error={list.error}
        onRetry={list.refetch}
        empty={<LogsEmpty isFiltered={isNarrowed(filters) || range.name !== "30d"} requestId={filters.requestId} />}
        paging={list.paging}
        endless={list.endless}
        newRows={
          list.newCount > 0 ? { text: t("logs.newRows", { count: list.newCount }), onShow: showNewest } : undefined
        }
        card={(entry) => <LogCard entry={entry} isAdmin={isForAdmin} />}
      />
      {userId !== null && <UserDialog id={userId} onClose={() => setUserId(null)} />}
    </>
  );
};

const detailOf = (entry: LogEntry) => <LogDetail entry={entry} />;

/** Empty state: no calls yet, or no match; a request searched by its id may still exist outside the list. */
const LogsEmpty = ({ isFiltered, requestId }: { isFiltered: boolean; requestId?: string | undefined }) => {
  const { t } = useTranslation();
  if (requestId) {
    return (
      <EmptyState
        icon={<ReceiptLong />}
        title={t("logs.empty.requestTitle")}
        body={t("logs.empty.requestBody")}
        action={
          <Button component={Link} to={`/log/${encodeURIComponent(requestId)}`}>
            {t("logs.empty.requestAction")}
          </Button>
        }
      />
    );
  }
  if (isFiltered) {
    return (
      <EmptyState icon={<ReceiptLong />} title={t("logs.empty.filteredTitle")} body={t("logs.empty.filteredBody")} />
    );
  }
  return (
    <EmptyState
      icon={<ReceiptLong />}
      title={t("logs.empty.title")}
      body={t("logs.empty.body")}
      action={
        <Button component={Link} to="/token" variant="contained" color="primary">
          {t("logs.empty.action")}
        </Button>
      }
    />
  );
};

export const UsageLogPage = withRight("requests.read", UsageLogContent);
