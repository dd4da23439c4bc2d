import Sync from "@mui/icons-material/SyncOutlined";
import FormControlLabel from "@mui/material/FormControlLabel";
import IconButton from "@mui/material/IconButton";
import Switch from "@mui/material/Switch";
import Tooltip from "@mui/material/Tooltip";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { requestDownload } from "../api/client.ts";
import { DownloadButton } from "../components/DownloadButton.tsx";
import { DataTable } from "../components/data-table/DataTable.tsx";
import { useAddressPaging } from "../components/data-table/url-state.ts";
import { useDataTable } from "../components/data-table/use-data-table.ts";
import { PageHeader } from "../components/PageHeader.tsx";
import { useAddress } from "../components/useAddress.ts";
import { LogDetail } from "../features/logs/detail/LogDetail.tsx";
import { LogCard } from "../features/logs/LogCard.tsx";
import { LogFilterBar } from "../features/logs/LogFilterBar.tsx";
import { LogsEmpty } from "../features/logs/LogsEmpty.tsx";
import { isNarrowed, logFiltersOf } from "../features/logs/log-address.ts";
import { useLogColumns } from "../features/logs/log-columns.tsx";
import type { LogEntry } from "../features/logs/log-entry.ts";
import { logExport, logPage, parametersOf } from "../features/logs/log-queries.ts";
import { Overview } from "../features/logs/Overview.tsx";
import { rangeOf } from "../features/logs/time-range.ts";
import { UserDialog } from "../features/logs/UserDialog.tsx";
import { useEntryName } from "../features/logs/use-entry-name.ts";
import { useNow } from "../features/logs/use-now.ts";
import { useSession } from "../features/session/session.tsx";
import { isAdmin } from "../features/session/stored-user.ts";

/** The usage log: one's own calls, everybody's for administrators. */
export const UsageLogPage = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const isForAdmin = isAdmin(useSession().user);
  const scope = isForAdmin ? "all" : "self";
  const [isFollowing, setFollowing] = useState(false);
  const [now, renew] = useNow(isFollowing);
  const [userId, setUserId] = useState<number | null>(null);
  const range = rangeOf({ range: address.text("range"), from: address.number("from"), to: address.number("to") }, now);
  const filters = logFiltersOf(address, range);
  const { page, pageSize, pagingOf } = useAddressPaging(address);
  const list = useQuery(logPage(scope, filters, page, pageSize));
  const nameOf = useEntryName();
  const columns = useLogColumns(isForAdmin, setUserId);
  const model = useDataTable({
    columns,
    rows: list.data?.items,
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
            <Tooltip title={t("logs.refresh")}>
              <IconButton aria-label={t("logs.refresh")} onClick={renew}>
                <Sync />
              </IconButton>
            </Tooltip>
            <DownloadButton request={() => requestDownload(logExport(scope), parametersOf(scope, filters))} />
          </>
        }
      />
      <Overview
        scope={scope}
        filters={filters}
        range={range}
        now={now}
        onNamed={(name) => {
          renew();
          address.set({ range: name, from: undefined, to: undefined, p: undefined });
        }}
        onCustom={(from, to) => address.set({ from, to, range: undefined, p: undefined })}
      />
      <LogFilterBar address={address} isAdmin={isForAdmin} model={model} />
      <DataTable
        model={model}
        isRefreshing={list.isPlaceholderData && !isFollowing}
        error={list.error}
        onRetry={() => list.refetch()}
        empty={<LogsEmpty isFiltered={isNarrowed(filters) || range.name !== "30d"} requestId={filters.requestId} />}
        paging={pagingOf(list.data?.total, t("logs.unit"))}
        card={(entry) => <LogCard entry={entry} isAdmin={isForAdmin} />}
      />
      {userId !== null && <UserDialog id={userId} onClose={() => setUserId(null)} />}
    </>
  );
};

const idOf = (entry: LogEntry): number => entry.id;
const detailOf = (entry: LogEntry) => <LogDetail entry={entry} />;
