import Hub from "@mui/icons-material/HubOutlined";
import Button from "@mui/material/Button";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useAtom } from "jotai";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ChannelType } from "../../../../src/providers/registry.ts";
import { channelTags, channelTypes } from "../../../api/channels/channel-lists.ts";
import { type Selected, selectedIds, selectRows } from "../../../components/data-table/column.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useAddressPaging } from "../../../components/data-table/url-state.ts";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { PageHeader } from "../../../components/layout.tsx";
import type { Address } from "../../../components/use-address.ts";
import { useAddress, usePathname } from "../../../components/use-address.ts";
import { oneOf } from "../../../state/search-text.ts";
import { SWITCH_FORMAT, storedAtom } from "../../../state/stored-atom.ts";
import { type Channel, DISABLED, drawerOf } from "../channel.ts";
import { findChannelIds } from "../channel-calls.ts";
import { CHANNEL_HEALTHS, CHANNEL_SORTS, type ChannelQuery, channelForecast, channelPage } from "../channel-queries.ts";
import { TestDialog } from "../health/TestDialog.tsx";
import { TagDrawer } from "../tags/TagDrawer.tsx";
import { TagCard, useListColumns } from "../tags/tag-columns.tsx";
import { isTagRow, type ListRow, rowIdOf, rowNameOf, type TagRow, useListRows, useTagMode } from "../tags/tag-rows.ts";
import { useTagActions } from "../tags/use-tag-actions.ts";
import { BatchBar } from "./BatchBar.tsx";
import { ChannelCard } from "./ChannelCard.tsx";
import { ChannelDrawer } from "./ChannelDrawer.tsx";
import { ChannelFilters } from "./ChannelFilters.tsx";
import { useChannelColumns } from "./channel-columns.tsx";
import { HeaderActions } from "./HeaderActions.tsx";
import { ModelListDialog } from "./ModelListDialog.tsx";
import { TestAllBar, useTestAll } from "./TestAllBar.tsx";
import { useChannelActions } from "./use-channel-actions.ts";
import { useRowActions } from "./use-row-actions.tsx";
import { useSums } from "./use-sums.tsx";

type ChannelsEmptyProps = Readonly<{ query: ChannelQuery; address: Address; onAdd: () => void }>;

/** Empty state: no match, no tagged channel, or no channel yet. */
const ChannelsEmpty = ({ query, address, onAdd }: ChannelsEmptyProps) => {
  const { t } = useTranslation();
  if (isFiltered(query)) {
    return (
      <EmptyState
        icon={<Hub />}
        title={t("channels.empty.filteredTitle")}
        body={t("channels.empty.filteredBody")}
        action={<Button onClick={address.clear}>{t("components.filter.clear")}</Button>}
      />
    );
  }
  if (query.byTag) {
    return <EmptyState icon={<Hub />} title={t("channels.tags.none")} body={t("channels.tags.noneBody")} />;
  }
  return (
    <EmptyState
      icon={<Hub />}
      title={t("channels.empty.title")}
      body={t("channels.empty.body")}
      action={
        <Button variant="contained" color="primary" onClick={onAdd}>
          {t("channels.add")}
        </Button>
      }
    />
  );
};

/** The list's query in the URL. */
function channelQueryOf(
  address: Pick<Address, "text" | "number">,
  pageSize: number,
  layout: Readonly<{ idSort: boolean; byTag: boolean }>,
): ChannelQuery {
  const text = (key: string) => address.text(key) || undefined;
  const sort = oneOf(text("sort"), CHANNEL_SORTS);
  return {
    keyword: text("search"),
    model: text("model"),
    group: text("group"),
    type: address.number("type"),
    status: address.number("status"),
    tag: text("tag"),
    health: oneOf(text("health"), CHANNEL_HEALTHS),
    sort,
    order: oneOf(text("order"), ["asc", "desc"]),
    idSort: sort === undefined && layout.idSort,
    byTag: layout.byTag,
    page: Math.max(Math.trunc(address.number("p") ?? 0), 0),
    pageSize,
  };
}

/** Whether any filter is set, apart from sort order and page. */
const isFiltered = ({ keyword, model, group, type, status, tag, health }: ChannelQuery): boolean =>
  [keyword, model, group, type, status, tag, health].some((value) => value !== undefined);

const NO_ROWS: Selected = {};
const NO_TYPES: readonly ChannelType[] = [];
const NO_FORECAST: Readonly<Record<number, number>> = {};

const idSortAtom = storedAtom("id-sort", SWITCH_FORMAT);

/** The channel list, with row and bulk actions and the drawer that creates and edits channels. */
export const ChannelListPage = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const address = useAddress();
  const drawer = drawerOf(usePathname());
  const [idSort, setIdSort] = useAtom(idSortAtom);
  const tagMode = useTagMode();
  const [selected, setSelected] = useState(NO_ROWS);
  const [tested, setTested] = useState<Channel | null>(null);
  const [compared, setCompared] = useState<Channel | null>(null);
  const [editedTag, setEditedTag] = useState<TagRow | null>(null);
  const testAll = useTestAll();
  const types = useQuery(channelTypes).data;
  const { pageSize, pagingOf } = useAddressPaging(address);
  const query = channelQueryOf(address, pageSize, { idSort, byTag: tagMode.byTag });
  const list = useQuery({ ...channelPage(query), placeholderData: keepPreviousData });

  const actions = useChannelActions();
  const tagActions = useTagActions();
  const withBalance = (list.data?.items ?? [])
    .filter((channel) => channel.balance_updated_time > 0)
    .map(({ id }) => id);
  const forecast = useQuery(channelForecast(withBalance)).data ?? NO_FORECAST;
  const hasTags = (useQuery(channelTags).data ?? []).length > 0;
  const sums = useSums(list.data?.sums, (query.byTag ? list.data?.tagged : list.data?.total) ?? 0);
  const channelColumns = useChannelColumns(actions, {
    ...{ types: types ?? NO_TYPES, forecast, hasTags, sums, onCompare: setCompared },
  });
  const columns = useListColumns(channelColumns, tagActions, tagMode);
  const { rows, selection } = useListRows(list.data?.items, query.byTag === true, tagMode.open, selected, setSelected);
  const go = (to: "/channel" | "/channel/add") => navigate({ to, search: true });
  const edit = useCallback(
    (channel: Channel) => navigate({ to: "/channel/edit/$id", params: { id: String(channel.id) }, search: true }),
    [navigate],
  );
  const rowActions = useRowActions(actions, tagActions, {
    edit,
    test: setTested,
    compare: setCompared,
    editTag: setEditedTag,
  });
  const clearSelection = useCallback(() => setSelected(NO_ROWS), []);
  const selectAll = () => findChannelIds(query).then((ids) => setSelected(selectRows(ids)), notifyError);
  const model = useDataTable({
    columns,
    rows,
    rowId: rowIdOf,
    rowName: rowNameOf,
    sort: { key: query.sort ?? (query.idSort ? "id" : "priority"), isDescending: query.order !== "asc" },
    onSort: ({ key, isDescending }) =>
      address.set({ sort: key, order: isDescending ? undefined : "asc", p: undefined }),
    selection,
    actions: rowActions,
    columnsKey: "channels-table-columns",
  });
  return (
    <>
      <PageHeader
        title={t("channels.title")}
        purpose={t("channels.purpose")}
        actions={
          <HeaderActions
            isTesting={testAll.progress !== undefined}
            onTestAll={testAll.start}
            onAdd={() => go("/channel/add")}
          />
        }
      />
      {testAll.progress && <TestAllBar progress={testAll.progress} onCancel={testAll.cancel} />}
      <ChannelFilters
        address={address}
        types={types ?? []}
        counts={list.data?.counts}
        model={model}
        idSort={idSort}
        onIdSort={(isOn) => {
          setIdSort(isOn);
          address.set({ sort: undefined, order: undefined, p: undefined });
        }}
        byTag={tagMode.byTag}
        onByTag={(isOn) => {
          tagMode.setByTag(isOn);
          address.set({ p: undefined });
        }}
      />
      <DataTable
        model={model}
        isRefreshing={list.isPlaceholderData}
        error={list.error}
        onRetry={() => list.refetch()}
        empty={<ChannelsEmpty query={query} address={address} onAdd={() => go("/channel/add")} />}
        paging={pagingOf(list.data?.total, t(query.byTag ? "channels.tagUnit" : "channels.unit"))}
        card={(row) =>
          isTagRow(row) ? (
            <TagCard
              row={row}
              actions={tagActions}
              isOpen={tagMode.open.has(row.tag)}
              onToggle={() => tagMode.toggle(row)}
            />
          ) : (
            <ChannelCard channel={row} actions={actions} />
          )
        }
        onOpen={(row) => (isTagRow(row) ? tagMode.toggle(row) : edit(row))}
        isDim={isOff}
      />
      {selectedIds(selected).length > 0 && drawer === null && editedTag === null && (
        <BatchBar
          ids={selectedIds(selected).map(Number)}
          total={(query.byTag ? list.data?.tagged : list.data?.total) ?? 0}
          tags={query.byTag ? (list.data?.total ?? 0) : null}
          onSelectAll={selectAll}
          onClear={clearSelection}
        />
      )}
      {editedTag && <TagDrawer row={editedTag} onClose={() => setEditedTag(null)} />}
      {drawer && <ChannelDrawer key={drawer.id} id={drawer.id} onClose={() => go("/channel")} />}
      {compared && <ModelListDialog channel={compared} onClose={() => setCompared(null)} />}
      {tested && <TestDialog channel={tested} onClose={() => setTested(null)} />}
    </>
  );
};

const isOff = (row: ListRow): boolean => !isTagRow(row) && row.status === DISABLED;
